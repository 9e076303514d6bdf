"""The text of two snapshots as one diff."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from xlaviz.dumps.sequence import PassSequence
from xlaviz.session import documents, text_diff
from xlaviz.session.text_diff import TextDiff, TextOptions

_BEFORE = """HloModule m

gone { ROOT g = f32[4] parameter(0) }

ENTRY main {
  x = f32[4] parameter(0), metadata={op_name="in"}
  a = f32[4] negate(x), metadata={op_name="out"}
  b = f32[4] copy(a)
  c = f32[4] add(b, x)
  d1 = f32[4] negate(c)
  d2 = f32[4] negate(d1)
  d3 = f32[4] negate(d2)
  d4 = f32[4] negate(d3)
  d5 = f32[4] negate(d4)
  ROOT d6 = f32[4] negate(d5)
}
"""
_AFTER = """HloModule m

new { ROOT n = f32[4] parameter(0) }

ENTRY main {
  x = f32[4] parameter(0), metadata={op_name="in"}
  a = f32[4] negate(x), metadata={op_name="out"}
  c = f32[4] add(a, x)
  d1 = f32[4] negate(c)
  d2 = f32[4] negate(d1)
  d3 = f32[4] negate(d2)
  d4 = f32[4] negate(d3)
  d5 = f32[4] negate(d4)
  ROOT d6 = f32[4] negate(d5)
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    for number, text in enumerate((_BEFORE, _AFTER)):
        (tmp_path / f"module_0001.m.{number:04d}.p.after_pass{number}.txt").write_text(text)
    yield tmp_path
    documents.close_all()


def diff(folder: Path, left: int, right: int, options: TextOptions | None = None) -> TextDiff:
    sequence: PassSequence = documents.open_info(documents.silent, folder).sequence()
    return text_diff.text_diff(documents.silent, folder, sequence, left, right, options or TextOptions())


def signs(found: TextDiff) -> list[tuple[str, str]]:
    return [(line.sign, line.name or line.text.split(" (")[0]) for line in found.lines]


def test_what_changed_stands_between_some_lines_that_did_not(folder: Path) -> None:
    found = signs(diff(folder, 0, 1))
    assert found == [
        ("-", "%gone"),
        ("-", "g"),
        ("-", "}"),
        ("+", "%new"),
        ("+", "n"),
        ("+", "}"),
        (" ", "ENTRY %main"),
        (" ", "x"),
        (" ", "a"),
        ("-", "b"),
        ("-", "c"),
        ("+", "c"),
        (" ", "d1"),
        (" ", "d2"),
        (" ", "d3"),
        ("…", "4 lines without a change"),
    ]


def test_the_selection_is_never_folded_away(folder: Path) -> None:
    names = [line.name for line in diff(folder, 0, 1, TextOptions(focus=frozenset({"d6"}))).lines]
    assert "d6" in names
    assert "d4" in names


def test_unfolded_every_line_is_there(folder: Path) -> None:
    lines = diff(folder, 0, 1, TextOptions(folded=False)).lines
    assert not any(line.sign == "…" for line in lines)
    assert [line.name for line in lines if line.sign in " +" and line.name][1:] == [
        *("x", "a", "c", "d1", "d2", "d3", "d4", "d5", "d6")
    ]


def test_metadata_is_there_for_those_who_ask(folder: Path) -> None:
    assert not any("metadata" in line.text for line in diff(folder, 0, 1).lines)
    assert any('op_name="out"' in line.text for line in diff(folder, 0, 1, TextOptions(metadata=True)).lines)


def test_a_snapshot_alone_is_its_text(folder: Path) -> None:
    lines = diff(folder, 1, 1).lines
    assert {line.sign for line in lines} == {" "}
    assert lines[-2].text == "  ROOT %d6 = f32[4] negate(%d5)"


def test_of_a_large_text_the_stretch_round_the_selection_is_made(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = len(diff(folder, 1, 1).lines)
    monkeypatch.setattr(text_diff, "MAX_LINES", 4)
    found = diff(folder, 1, 1, TextOptions(focus=frozenset({"d2"})))
    assert len(found.lines) == 4
    assert "d2" in [line.name for line in found.lines]
    assert found.before + 4 + found.after == whole
    assert found.before > 0
    assert found.after > 0


def test_a_long_line_is_cut(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_diff, "MAX_LINE_CHARS", 10)
    assert all(len(line.text) < 30 for line in diff(folder, 1, 1).lines)
