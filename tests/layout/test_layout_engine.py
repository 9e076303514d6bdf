"""Graphviz missing, slow, broken, or asked for too much: one sentence each."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.modules import drawn, entry_of

from xlaviz.base.errors import WorkFailedError
from xlaviz.graph.model import DrawnGraph
from xlaviz.layout import dot
from xlaviz.layout import place as place_module
from xlaviz.layout.dot import DOT, MAX_BOXES
from xlaviz.layout.model import LayoutTooLargeError, Places
from xlaviz.layout.nested import lay_out
from xlaviz.layout.place import layout_input, place_graph


@pytest.fixture
def graph() -> DrawnGraph:
    return drawn(entry_of("x = f32[] parameter(0)", "y = f32[] negate(x)"))


def place_by_dot(graph: DrawnGraph) -> Places:
    return lay_out(layout_input(graph), DOT)


def fake_dot(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "dot"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_no_dot_on_the_path(graph: DrawnGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(WorkFailedError, match=r"dot was not found.*apt-get install graphviz") as caught:
        place_by_dot(graph)
    assert "\n" not in str(caught.value)


def test_a_dot_that_does_not_end_is_ended(graph: DrawnGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_dot(tmp_path, "exec sleep 60", monkeypatch)
    monkeypatch.setattr(dot, "TIME_LIMIT_S", 0.1)
    with pytest.raises(LayoutTooLargeError, match=r"did not finish this view.*neighbourhood"):
        place_by_dot(graph)


def test_a_dot_that_fails(graph: DrawnGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_dot(tmp_path, "cat >/dev/null; echo out of memory >&2; exit 3", monkeypatch)
    with pytest.raises(WorkFailedError, match=r"failed on this view \(exit status 3\)") as caught:
        place_by_dot(graph)
    assert caught.value.detail == "out of memory\n"


def test_a_dot_that_cannot_be_started(graph: DrawnGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_dot(tmp_path, "", monkeypatch)
    (tmp_path / "dot").write_bytes(b"\x7fELF no program at all")
    with pytest.raises(WorkFailedError, match="could not be started"):
        place_by_dot(graph)


@pytest.mark.parametrize("reply", ["", "graph 1 2 2", "stop", "node 0 what", "garbage\nstop"])
def test_a_dot_that_speaks_another_language(
    reply: str, graph: DrawnGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_dot(tmp_path, f"cat >/dev/null; printf '{reply}'", monkeypatch)
    with pytest.raises(WorkFailedError, match="answered what xlaviz cannot read"):
        place_by_dot(graph)


def test_more_boxes_than_dot_can_place_is_an_offer_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")  # not even asked
    lines = [f"n{i} = f32[] negate(x)" for i in range(MAX_BOXES)]
    with pytest.raises(LayoutTooLargeError) as caught:
        place_by_dot(drawn(entry_of("x = f32[] parameter(0)", *lines)))
    assert f"{MAX_BOXES + 1} boxes" in caught.value.message
    assert caught.value.hint == "Close clusters, or select an instruction and show its neighbourhood."
    assert caught.value.exit_status == 1


def test_what_dot_cannot_do_our_own_engine_does(
    graph: DrawnGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = place_graph(graph)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (place_graph(graph, "graphviz").boxes == own.boxes).all()


def test_more_boxes_than_anybody_can_read(graph: DrawnGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place_module, "MAX_BOXES", 1)
    with pytest.raises(LayoutTooLargeError, match=r"This view has 2 boxes.*neighbourhood"):
        place_graph(graph)
