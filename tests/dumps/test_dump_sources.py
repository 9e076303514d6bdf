"""The user's files in a bundle."""

from __future__ import annotations

import json
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from xlaviz.dumps.document import open_document
from xlaviz.dumps.sources import decode


def with_sources(bundle: Path, path: Path, entries: Any, members: dict[str, bytes]) -> Path:
    """A copy of the bundle whose manifest has these entries."""
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "manifest.json":
                data = json.dumps(json.loads(data) | {"sources": entries}).encode()
            new.writestr(name, data)
        for name, data in members.items():
            new.writestr(name, data)
    return path


def test_what_is_missing_or_damaged_is_left_out(matmul_bundle: Path, tmp_path: Path) -> None:
    entries = [
        {"member": "source/a.py", "path": "/home/me/a.py", "bytes": 3},
        {"member": "source/gone.py", "path": "/home/me/gone.py", "bytes": 3},
        {"member": 3, "path": "x"},
        {"path": "x"},
        "x",
    ]
    bundle = with_sources(matmul_bundle, tmp_path / "b.xlaviz", entries, {"source/a.py": b"a\r\nb\n"})
    with closing(open_document(bundle)) as document:
        assert document.sources == {"/home/me/a.py": "a\nb\n"}
        assert document.source_text("/home/me/gone.py") is None


def test_a_list_that_is_none(matmul_bundle: Path, tmp_path: Path) -> None:
    with closing(open_document(with_sources(matmul_bundle, tmp_path / "b.xlaviz", {"a": 1}, {}))) as document:
        assert document.sources == {}


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("# ü\n".encode(), "# ü\n"),
        ("# -*- coding: latin-1 -*-\n# ü\n".encode("latin-1"), "# -*- coding: latin-1 -*-\n# ü\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"# coding: nonsense\nx\xff", "# coding: nonsense\nx\N{REPLACEMENT CHARACTER}"),
        (b"x\xff", "x\N{REPLACEMENT CHARACTER}"),
        (b"", ""),
    ],
)
def test_encodings(data: bytes, text: str) -> None:
    assert decode(data) == text
