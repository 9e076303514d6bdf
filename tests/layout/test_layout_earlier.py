"""A drawing keeps to an earlier one: what lies beside something opened or closed stays."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from helpers.modules import FUSION, WHILE, drawn, module_of
from layout_rules import check

from xlaviz.graph.build import GraphOptions, all_open, build_graph
from xlaviz.graph.model import DrawnGraph
from xlaviz.hlo.model import HloModule
from xlaviz.layout.earlier import Drawing, nearest
from xlaviz.layout.model import LayoutInput, Places
from xlaviz.layout.place import layout_input, place, refine

BRANCHES = 5


def branches() -> HloModule:
    """Fusions side by side, each between two other instructions, added up in the end."""
    fused = [
        f"""fused{i} {{ p{i} = f32[8] parameter(0)
  left{i} = f32[8] tanh(p{i})
  right{i} = f32[8] sine(p{i})
  ROOT both{i} = f32[8] add(left{i}, right{i}) }}"""
        for i in range(BRANCHES)
    ]
    lines = [
        f"""  before{i} = f32[8] exponential(x)
  fusion.{i} = f32[8] fusion(before{i}), kind=kLoop, calls=fused{i}
  after{i} = f32[8] sine(fusion.{i})
  sum{i} = f32[8] add({f"sum{i - 1}" if i else "x"}, after{i})"""
        for i in range(BRANCHES)
    ]
    entry = ["ENTRY main { x = f32[8] parameter(0)", *lines, f"  ROOT out = f32[8] negate(sum{BRANCHES - 1}) }}"]
    return module_of("\n".join((*fused, *entry)))


def draw(graph: DrawnGraph, earlier: Drawing | None = None) -> Drawing:
    inputs = layout_input(graph)
    return Drawing(inputs, place(inputs, earlier=earlier))


def middles(graph: DrawnGraph, drawing: Drawing) -> dict[str, tuple[float, float]]:
    """Of what stands in no frame."""
    boxes = drawing.places.boxes
    at = boxes[:, :2] + boxes[:, 2:] / 2
    return {
        node.instruction: (float(x), float(y)) for node, (x, y) in zip(graph.nodes, at, strict=True) if node.parent < 0
    }


@pytest.mark.parametrize("opened", range(BRANCHES))
def test_opening_one_leaves_the_others_where_they_are(opened: int) -> None:
    module, name = branches(), f"fusion.{opened}"
    closed, graph = drawn(module), drawn(module, name)
    first = draw(closed)
    second = draw(graph, first)
    check(second.inputs, second.places)
    old, new = middles(closed, first), middles(graph, second)
    others = [each for each in old if each != name]
    for one in others:
        for other in others:
            if old[one][1] == old[other][1] and old[one][0] < old[other][0]:
                assert new[one][0] < new[other][0], (one, other)
    shift = np.median([new[each][0] - old[each][0] for each in others])  # the frame may reach out to the left
    assert np.median([abs(new[each][0] - old[each][0] - shift) for each in others]) < 2
    assert max(abs(new[each][0] - old[each][0] - shift) for each in others) < 120
    for each in others:
        if old[each][1] < old[name][1] - 30:
            assert new[each][1] == pytest.approx(old[each][1], abs=2), "above"
        else:
            assert new[each][1] >= old[each][1] - 2, "beside or below"


@pytest.mark.parametrize("opened", range(BRANCHES))
def test_closing_it_again_brings_everything_back(opened: int) -> None:
    module, name = branches(), f"fusion.{opened}"
    closed = drawn(module)
    first = draw(closed)
    second = draw(closed, draw(drawn(module, name), first))
    old, new = middles(closed, first), middles(closed, second)
    assert max(abs(new[each][1] - old[each][1]) for each in old) < 12
    assert np.median([abs(new[each][0] - old[each][0]) for each in old]) < 12


def test_what_is_open_stays_as_it_is_when_another_opens() -> None:
    module = branches()
    before, after = drawn(module, "fusion.1"), drawn(module, "fusion.1", "fusion.3")
    first = draw(before)
    second = draw(after, first)
    check(second.inputs, second.places)
    for name in ("left1", "right1", "both1"):
        inside = []
        for graph, drawing in ((before, first), (after, second)):
            boxes, index = drawing.places.boxes, graph.nodes_of[name][0]
            inside.append(boxes[index, :2] - boxes[graph.nodes[index].parent, :2])
        assert inside[0] == pytest.approx(inside[1], abs=0.01)


@pytest.mark.parametrize("text", [FUSION, WHILE])
def test_the_same_drawing_again_is_the_same(text: str) -> None:
    module = module_of(text)
    graph = build_graph(module, GraphOptions(open=all_open(module)))
    first = draw(graph)
    second = draw(graph, first)
    assert (first.places.is_seeded, second.places.is_seeded) == (False, True)
    assert second.places.boxes == pytest.approx(first.places.boxes, abs=0.01)
    for one, other in zip(first.places.routes, second.places.routes, strict=True):
        assert one == pytest.approx(other, abs=0.01)


def test_a_drawing_of_something_else_is_ignored() -> None:
    graph = drawn(branches(), "fusion.1")
    alone = draw(graph)
    after = draw(graph, draw(drawn(module_of(WHILE), "loop")))
    assert not after.places.is_seeded
    assert np.array_equal(alone.places.boxes, after.places.boxes)


def test_of_several_drawings_the_nearest_is_kept_to() -> None:
    loop, fusions = draw(drawn(module_of(WHILE))), draw(drawn(branches()))
    inputs = layout_input(drawn(branches(), "fusion.1"))
    assert nearest([loop, fusions], inputs) is fusions
    assert nearest([], inputs) is None
    alien = LayoutInput((1.0,), (1.0,), (-1,), frozenset(), frozenset(), (), ("nobody",))
    assert nearest([loop, fusions], alien) is None


def nested(seed: int) -> LayoutInput:
    """Frames in frames, and edges onwards between all of them."""
    random_ = random.Random(seed)
    count = random_.randint(4, 40)
    parents: list[int] = []
    for node in range(count):
        inner = [other for other in range(node) if other % 5 == 0 and random_.random() < 0.5]
        parents.append(inner[-1] if inner else -1)
    frames = frozenset(parents) - {-1}
    pairs = [sorted(random_.sample(range(count), 2)) for _ in range(random_.randint(0, 2 * count))]
    pairs = [(a, b) for a, b in pairs if not is_within(b, a, parents)]
    return LayoutInput(
        tuple(random_.uniform(10, 200) for _ in range(count)),
        tuple(22.0 if node in frames else random_.uniform(10, 80) for node in range(count)),
        tuple(parents),
        frames,
        frozenset(),
        tuple((a, b) for a, b in pairs),
        tuple(range(count)),
    )


def is_within(box: int, frame: int, parents: Sequence[int]) -> bool:
    while box >= 0 and box != frame:
        box = parents[box]
    return box == frame


def changed(inputs: LayoutInput, seed: int) -> LayoutInput:
    """Some boxes without content are gone, one is new, some have another size, some edges are others."""
    random_ = random.Random(seed)
    count = len(inputs.keys)
    gone = {node for node in range(count) if node not in inputs.frames and random_.random() < 0.2}
    kept = [node for node in range(count) if node not in gone]
    place_of = {node: number for number, node in enumerate(kept)}
    edges = [(place_of[a], place_of[b]) for a, b in inputs.edges if a in place_of and b in place_of]
    frames = frozenset(place_of[frame] for frame in inputs.frames)
    parents = (*(place_of.get(inputs.parents[node], -1) for node in kept), random_.choice([-1, *frames]))
    sources = (random_.randrange(len(kept)) for _ in range(3))
    edges += [(source, len(kept)) for source in sources if not is_within(len(kept), source, parents)]
    return LayoutInput(
        (*(inputs.widths[node] * random_.choice((1, 1, 1.5)) for node in kept), 90.0),
        (*(inputs.heights[node] for node in kept), 40.0),
        parents,
        frames,
        frozenset(),
        tuple(edges),
        (*(inputs.keys[node] for node in kept), ("new", seed)),
    )


@pytest.mark.parametrize("seed", range(25))
def test_what_keeps_to_an_earlier_drawing_obeys_all_rules(seed: int) -> None:
    inputs = nested(seed)
    drawing = Drawing(inputs, place(inputs))
    for number in range(4):
        inputs = changed(inputs, 100 * seed + number)
        places = place(inputs, earlier=drawing)
        check(inputs, places)
        again = place(inputs, earlier=drawing)
        assert np.array_equal(places.boxes, again.boxes)
        drawing = Drawing(inputs, places)


def test_refining_finds_something_better_or_nothing() -> None:
    random_ = random.Random(4)
    edges = tuple((random_.randrange(30), 30 + random_.randrange(30)) for _ in range(70))
    tangle = LayoutInput((80.0,) * 60, (40.0,) * 60, (-1,) * 60, frozenset(), frozenset(), edges, tuple(range(60)))
    chain = LayoutInput((80.0,) * 3, (40.0,) * 3, (-1,) * 3, frozenset(), frozenset(), ((0, 1), (1, 2)), (0, 1, 2))
    assert refine(chain, 0.05) is None
    better: Places | None = refine(tangle, 0.3)
    if better is not None:
        check(tangle, better)
        assert not better.is_seeded
