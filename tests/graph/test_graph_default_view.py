"""The first picture of a module."""

from __future__ import annotations

import pytest
from helpers.modules import FUSION, WHILE, has_circle, module_of, scoped

from xlaviz.graph.build import OPEN_AT_MOST, build_graph, default_open
from xlaviz.graph.default_view import PAGE, default_view
from xlaviz.graph.model import DrawnGraph
from xlaviz.hlo.model import HloComputation, HloInstruction, HloModule
from xlaviz.hlo.shapes import Shape


def model(layers: int, *, width: int = 8, extra: int = 0) -> list[str]:
    """Lines of a forward pass, a backward one and an optimizer, each layer `width` instructions in a chain."""
    lines = ["x = f32[8] parameter(0)"]

    def add(name: str, op_name: str) -> None:
        before = lines[-1].split(" ")[0]
        lines.append(f"{name} = f32[8] negate({before}) @ {op_name}")

    for layer in range(layers):
        for place in range(width):
            add(f"f{layer}_{place}", f"model/layer_{layer}/Op")
    for layer in reversed(range(layers)):
        for place in range(width):
            add(f"g{layer}_{place}", f"gradient_tape/model/layer_{layer}/Op")
    for place in range(width * layers + extra):
        add(f"u{place}", f"adam/Op_{place}")
    return lines


def page(module: HloModule, computation: str | None = None) -> DrawnGraph:
    graph = build_graph(module, default_view(module, computation))
    assert not has_circle(graph)
    return graph


@pytest.mark.parametrize("text", [FUSION, WHILE])
def test_a_small_module_is_open_throughout(text: str) -> None:
    module = module_of(text)
    options = default_view(module)
    assert (options.clusters, options.open) == ("calls", default_open(module))
    assert options.open


def test_a_small_module_without_anything_to_open_is_drawn_as_it_is() -> None:
    module = scoped(*model(4, width=12))
    assert (default_view(module).clusters, page(module).box_count) == ("calls", len(model(4, width=12)))


def test_a_large_module_is_a_page_of_its_layers() -> None:
    module = scoped(*model(16))
    graph = page(module)
    titles = [node.title for node in graph.nodes if node.cluster == "scope"]
    assert PAGE[0] <= graph.box_count <= PAGE[1]
    assert titles[:3] == ["▾ model", "▸ layer_0", "▸ layer_1"]
    assert "▾ gradient_tape" in titles
    assert "▸ adam" in titles


def test_of_many_layers_alike_none_is_opened() -> None:
    lines = [
        line.replace("/Op", f"/part_{(place - 1) // 4 % 2}/Op") if "layer" in line else line
        for place, line in enumerate(model(16))
    ]
    graph = page(scoped(*lines))
    assert [node.title for node in graph.nodes if node.kind == "open"] == ["▾ model", "▾ gradient_tape"]


@pytest.mark.parametrize("layers", [20, 45, 150])
def test_the_page_stays_a_page_however_many_layers_there_are(layers: int) -> None:
    graph = page(scoped(*model(layers)))
    assert PAGE[0] <= graph.box_count <= PAGE[1]


@pytest.mark.parametrize(
    "opcodes", [["negate"], ["negate", "tanh", "abs"], ["negate", "tanh", "abs", "sine", "cosine"]]
)
def test_without_names_structure_makes_the_page(opcodes: list[str]) -> None:
    lines = ["x = f32[8] parameter(0)"]
    for place in range(1000):
        before, earlier = lines[-1].split(" ")[0], lines[max(-7, -len(lines))].split(" ")[0]
        lines.append(f"n{place} = f32[8] {opcodes[place % len(opcodes)]}({before})")
        lines.append(f"m{place} = f32[8] add(n{place}, {earlier})")
    graph = page(scoped(*lines))
    assert PAGE[0] <= graph.box_count <= PAGE[1]
    assert any(node.cluster == "block" for node in graph.nodes)


def test_what_is_in_a_loop_is_seen_where_there_is_nothing_else() -> None:
    body = "\n".join(f"  d{i} = f32[8] negate({f'd{i - 1}' if i else 'v'})" for i in range(400))
    text = WHILE.replace("  double =", f"{body}\n  double =").replace("add(v, v)", "add(d399, v)")
    graph = page(module_of(text))
    assert PAGE[0] <= graph.box_count <= PAGE[1]
    assert graph.nodes[graph.nodes_of["loop"][0]].kind == "open"


def test_a_computation_that_is_called_often_opens_everywhere_or_nowhere() -> None:
    inner = "\n".join(f"  i{i} = f32[8] negate({f'i{i - 1}' if i else 'q'})" for i in range(60))
    calls = "\n".join(f"  c{i} = f32[8] call({f'c{i - 1}' if i else 'p'}), to_apply=inner" for i in range(4))
    outer = "\n".join(f"  o{i} = f32[8] call({f'o{i - 1}' if i else 'x'}), to_apply=outer" for i in range(3))
    module = module_of(f"""
inner {{ q = f32[8] parameter(0)
{inner}
  ROOT end = f32[8] tanh(i59) }}
outer {{ p = f32[8] parameter(0)
{calls}
  ROOT last = f32[8] tanh(c3) }}
ENTRY main {{ x = f32[8] parameter(0)
{outer}
  ROOT out = f32[8] tanh(o2) }}""")
    assert PAGE[0] <= page(module).box_count <= PAGE[1]


def test_another_computation_can_be_the_page() -> None:
    body = "\n".join(f"  d{i} = f32[8] negate({f'd{i - 1}' if i else 'v'})" for i in range(400))
    module = module_of(WHILE.replace("  double =", f"{body}\n  double =").replace("add(v, v)", "add(d399, v)"))
    options = default_view(module, "body")
    assert options.computation == "body"
    assert PAGE[0] <= page(module, "body").box_count <= PAGE[1]


def test_a_module_that_calls_itself_has_a_page() -> None:
    shape = Shape("f32", ())
    first = HloInstruction("p", "parameter", shape, parameter_number=0)
    chain = [HloInstruction(f"n{i}", "negate", shape, (f"n{i - 1}" if i else "p",)) for i in range(OPEN_AT_MOST + 1)]
    again = HloInstruction("again", "call", shape, ("n0",), ("main",))
    module = HloModule("m", (HloComputation("main", (first, *chain, again), "again"),), "main")
    assert page(module).box_count >= PAGE[0]


def test_instructions_in_a_circle_have_a_page() -> None:
    shape = Shape("f32", ())
    count = OPEN_AT_MOST + 50
    chain = [HloInstruction(f"n{i}", "negate", shape, (f"n{(i - 1) % count}",)) for i in range(count)]
    module = HloModule("m", (HloComputation("main", tuple(chain), "n0"),), "main")
    assert build_graph(module, default_view(module)).box_count >= PAGE[0]
