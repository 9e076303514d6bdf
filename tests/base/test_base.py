"""Errors across processes, settings that survive anything, files that come with the program."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from xlaviz.base.errors import WorkFailedError, XlavizError
from xlaviz.base.resources import asset
from xlaviz.base.settings import RECENT_KEPT, Settings, load_settings, save_settings, settings_path


@pytest.fixture(autouse=True)
def settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "deep" / "settings.json"
    monkeypatch.setenv("XLAVIZ_SETTINGS", str(path))
    return path


@pytest.mark.parametrize("kind", [XlavizError, WorkFailedError])
def test_an_error_keeps_all_its_words_across_processes(kind: type[XlavizError]) -> None:
    error = pickle.loads(pickle.dumps(kind("It broke.", hint="Mend it.", detail="line 1\nline 2")))
    assert type(error) is kind
    assert (error.message, error.hint, error.detail) == ("It broke.", "Mend it.", "line 1\nline 2")
    assert str(error) == "It broke. Mend it."


def test_exit_statuses() -> None:
    assert (XlavizError("x").exit_status, WorkFailedError("x").exit_status) == (2, 1)
    assert str(XlavizError("It broke.")) == "It broke."


def test_settings_are_remembered(settings_file: Path) -> None:
    settings = Settings(theme="dark", python="/usr/bin/python3", geometry="AAEC").with_recent(Path("/a/ü.xlaviz"))
    save_settings(settings)
    assert load_settings() == settings
    assert list(settings_file.parent.iterdir()) == [settings_file]


def test_the_first_start_has_defaults() -> None:
    assert load_settings() == Settings()


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", "\ufffd", '{"theme": "pink", "recent": 3}', "[" * 100_000])
def test_damaged_settings_are_defaults(text: str, settings_file: Path) -> None:
    settings_file.parent.mkdir()
    settings_file.write_text(text, "utf-8")
    assert load_settings() == Settings()


def test_a_wrong_part_takes_its_default_and_the_rest_stays(settings_file: Path) -> None:
    settings_file.parent.mkdir()
    stored = {"theme": "dark", "python": 5, "unknown": 1, "recent": ["/a", 7, None, "/b"], "layout": "AA"}
    settings_file.write_text(json.dumps(stored))
    assert load_settings() == Settings(theme="dark", recent=("/a", "/b"), layout="AA")


def test_settings_that_cannot_be_written_are_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XLAVIZ_SETTINGS", str(tmp_path / "file" / "settings.json"))
    save_settings(Settings(theme="dark"))
    assert load_settings() == Settings()


def test_recent_files_are_few_each_once_the_last_first() -> None:
    settings = Settings()
    for number in [*range(RECENT_KEPT + 5), 7]:
        settings = settings.with_recent(Path(f"/work/{number}.xlaviz"))
    assert len(settings.recent) == RECENT_KEPT
    assert settings.recent[:2] == ("/work/7.xlaviz", f"/work/{RECENT_KEPT + 4}.xlaviz")
    assert len(set(settings.recent)) == RECENT_KEPT
    assert settings.last_folder == "/work"


@pytest.mark.parametrize(
    ("platform", "variables", "place"),
    [
        ("linux", {"XDG_CONFIG_HOME": "/x"}, "/x/xlaviz/settings.json"),
        ("linux", {"XDG_CONFIG_HOME": ""}, "/home/me/.config/xlaviz/settings.json"),
        ("darwin", {}, "/home/me/Library/Application Support/xlaviz/settings.json"),
        ("win32", {"APPDATA": "/roaming"}, "/roaming/xlaviz/settings.json"),
    ],
)
def test_the_platforms_place(
    platform: str, variables: dict[str, str], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XLAVIZ_SETTINGS")
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv("HOME", "/home/me")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert settings_path().as_posix() == place


def test_the_examples_come_along() -> None:
    for name in ("matmul", "dense_layer", "train_step"):
        assert asset(f"examples/{name}.py").is_file()


def test_an_asset_that_is_missing() -> None:
    with pytest.raises(
        XlavizError, match=r"examples/no.py, which comes with xlaviz, is missing. Install xlaviz again."
    ):
        asset("examples/no.py")
