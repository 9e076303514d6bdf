"""The texts of the user's files that a bundle brought along. Nothing is read from where those files once lay: a
bundle may come from anybody, and name any path."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Mapping
from typing import Any

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.files import Files


def read_sources(files: Files, manifest: Mapping[str, Any]) -> dict[str, str]:
    """Path -> text, as the manifest's `sources` lists them; what is damaged or missing is left out."""
    entries = manifest.get("sources", [])
    found: dict[str, str] = {}
    for entry in entries if isinstance(entries, list) else []:
        member, path = (entry.get("member"), entry.get("path")) if isinstance(entry, dict) else (None, None)
        if isinstance(member, str) and isinstance(path, str):
            try:
                found[path] = decode(files.read(member))
            except XlavizError:
                continue
    return found


def decode(data: bytes) -> str:
    """The text of a Python file, whatever its first lines say that it is written in; lines end with a newline."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError:  # no encoding, or not that which it says
        encoding = "utf-8"
    return data.decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n")
