"""What xlaviz remembers between two starts, with its defaults: a small JSON file in the user's configuration folder."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

RECENT_KEPT = 10
THEMES = ("light", "dark")


@dataclass(frozen=True, slots=True)
class Settings:
    """`theme` is one of THEMES. `geometry` and `layout` are the window's own, base64. `motion`, `on` or `off`: whether
    boxes move to new places before the eyes."""

    theme: str = "light"
    recent: tuple[str, ...] = ()
    last_folder: str = ""
    python: str = ""
    geometry: str = ""
    layout: str = ""
    motion: str = "on"

    def with_recent(self, path: Path) -> Settings:
        """These settings with `path` as the document opened last."""
        name = str(path)
        others = tuple(known for known in self.recent if known != name)
        return replace(self, recent=(name, *others)[:RECENT_KEPT], last_folder=str(path.parent))


def settings_path() -> Path:
    """`XLAVIZ_SETTINGS` where it is set, else the platform's place for such a file."""
    if named := os.environ.get("XLAVIZ_SETTINGS"):
        return Path(named)
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA", Path.home()))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return base / "xlaviz" / "settings.json"


def load_settings() -> Settings:
    """The remembered settings; whatever is missing, damaged or of the wrong type takes its default."""
    try:
        stored = json.loads(settings_path().read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return Settings()
    if not isinstance(stored, dict):
        return Settings()
    known: dict[str, Any] = {
        field.name: stored[field.name] for field in fields(Settings) if isinstance(stored.get(field.name), str)
    }
    if known.get("theme") not in THEMES:
        known.pop("theme", None)
    known.pop("recent", None)
    if isinstance(stored.get("recent"), list):
        known["recent"] = tuple(item for item in stored["recent"] if isinstance(item, str))[:RECENT_KEPT]
    return Settings(**known)


def save_settings(settings: Settings) -> None:
    """Remember the settings; where they cannot be written, the next start has the old ones."""
    path = settings_path()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".part")
        partial.write_text(json.dumps(asdict(settings), indent=1), "utf-8")
        partial.replace(path)
