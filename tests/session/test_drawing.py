"""What one side draws, without a window: options, what is hidden in what, and the way to the window."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from helpers.layers import LAYERS, write_layers

from xlaviz.dumps.sequence import PassSequence
from xlaviz.session import documents, work
from xlaviz.session.card import instruction_card
from xlaviz.session.detail import ClusterDetail, cluster_detail
from xlaviz.session.drawing import SideOptions
from xlaviz.session.finding import find_instructions
from xlaviz.session.history import History, ViewState

ATTENTION = "scope:model/layer_3/attention"
Document = tuple[Path, PassSequence]


@pytest.fixture
def document(tmp_path: Path) -> Document:
    folder = write_layers(tmp_path / "layers")
    return folder, documents.open_info(documents.silent, folder).sequence()


def side(document: Document, **options: object) -> work.Side:
    path, sequence = document
    last = sequence.last_index
    return work.single_view(documents.silent, path, sequence, last, SideOptions(**options))  # type: ignore[arg-type]


def box(side: work.Side, name: str) -> str:
    (index,) = side.graph.boxes_of(name)
    return side.graph.nodes[index].instruction


def test_every_instruction_has_a_box_that_stands_for_it(document: Document) -> None:
    first = side(document)
    path, sequence = document
    module = documents.opened_at(path).module(sequence.snapshots[-1])
    reachable = [n for n, c in module.computation_of.items() if n not in ("b", "c", "go")]
    assert all(first.graph.boxes_of(name) for name in reachable)
    assert box(first, "inner_3") == ATTENTION
    closed = side(document, clusters="calls", open=frozenset())
    assert box(closed, "inner_3") == "layer_3.5"
    assert box(closed, "step") == "loop"


def test_open_all_and_none_have_all_boxes(document: Document) -> None:
    assert side(document, open="all").graph.box_count >= LAYERS * 40
    assert side(document, clusters="none").graph.box_count >= LAYERS * 40


def test_a_focus_that_is_not_there_shows_everything(document: Document) -> None:
    whole = side(document)
    assert side(document, focus="nothing").graph.nodes == whole.graph.nodes


def test_a_focus_hidden_in_a_scope_is_shown_itself(document: Document) -> None:
    assert box(side(document, focus="layer_3.10", hops=1), "layer_3.10") == "layer_3.10"


def test_crumbs_lead_as_far_as_the_module_goes(document: Document) -> None:
    assert [crumb.words for crumb in side(document, entered=("loop",)).crumbs] == ["entry", "loop body"]
    assert [crumb.words for crumb in side(document, entered=("gone",)).crumbs] == ["entry"]
    assert [crumb.words for crumb in side(document, entered=("loop", "step")).crumbs] == ["entry", "loop body"]


def test_a_side_comes_to_the_window_as_it_was(document: Document) -> None:
    before = side(document, clusters="calls")
    after = pickle.loads(pickle.dumps(before))
    assert after.graph == before.graph
    assert after.graph.held == before.graph.held
    assert np.array_equal(after.places.boxes, before.places.boxes)
    assert all(np.array_equal(a, b) for a, b in zip(after.places.routes, before.places.routes, strict=True))
    assert (after.open, after.clusters, after.crumbs) == (before.open, before.clusters, before.crumbs)


def test_a_cluster_is_told_of(document: Document) -> None:
    path, sequence = document

    def detail(name: str) -> ClusterDetail | None:
        return cluster_detail(documents.silent, path, sequence, 0, name, False)

    found = detail(ATTENTION)
    assert found is not None
    assert (found.kind, found.scope, len(found.instructions)) == ("scope", "model/layer_3/attention", 20)
    assert dict(found.opcodes) == {"tanh": 7, "negate": 7, "exponential": 6}
    assert detail("scope:model/none") is None


def test_a_search_of_times_needs_them_on_one_side(document: Document) -> None:
    path, sequence = document
    times = {"right": {"layer_3.5": 7.0}}
    found = find_instructions(documents.silent, path, sequence, {"left": 0, "right": 3}, "time>1", times)  # type: ignore[arg-type]
    assert found.names == {"right": {"layer_3.5"}}
    assert found.hits[0].opcode == "fusion"


def test_a_card_has_the_printed_line(document: Document) -> None:
    path, sequence = document
    card = instruction_card(documents.silent, path, sequence, 3, "layer_3.5")
    assert card is not None
    assert "fusion(" in card.line
    assert (card.operands, card.users) == (1, 1)
    assert instruction_card(documents.silent, path, sequence, 0, "inner_3") is None


def test_history_goes_back_and_forward() -> None:
    states = [ViewState("step", index, SideOptions(), SideOptions()) for index in range(4)]
    history = History()
    for state in states[:3]:
        history.leave(state)
    assert history.back(states[3]) == states[2]
    assert history.back(states[2]) == states[1]
    assert history.forward(states[1]) == states[2]
    history.leave(states[2])
    assert history.forward(states[0]) is None
