"""Small modules for tests, written as XLA prints them."""

from __future__ import annotations

from collections import Counter

from xlaviz.graph.build import GraphOptions, build_graph
from xlaviz.graph.model import DrawnEdge, DrawnGraph, DrawnNode
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.text import read_hlo_text


def module_of(body: str) -> HloModule:
    """The module of some computations as text."""
    (module,) = read_hlo_text(f"HloModule test\n\n{body}\n", file="test.txt")
    return module


def entry_of(*lines: str) -> HloModule:
    """A module of one computation; the last line is its root."""
    return module_of("ENTRY main {\n  " + "\n  ".join((*lines[:-1], f"ROOT {lines[-1]}")) + "\n}")


def drawn(module: HloModule, *opened: str, **options: object) -> DrawnGraph:
    """The module's entry with the named instructions open."""
    return build_graph(module, GraphOptions(open=frozenset(opened), **options))  # type: ignore[arg-type]


def node(graph: DrawnGraph, instruction: str, place: int = 0) -> DrawnNode:
    return graph.nodes[graph.nodes_of[instruction][place]]


def edges(graph: DrawnGraph) -> set[tuple[str, str]]:
    """Edges as pairs of words: a port is `name of its parameter^`."""
    return {(word(graph, edge.source), word(graph, edge.target)) for edge in graph.edges}


def edge(graph: DrawnGraph, source: str, target: str) -> DrawnEdge:
    (found,) = [e for e in graph.edges if (word(graph, e.source), word(graph, e.target)) == (source, target)]
    return found


def word(graph: DrawnGraph, index: int) -> str:
    drawn_node = graph.nodes[index]
    return f"{drawn_node.instruction}^" if drawn_node.kind == "port" else drawn_node.instruction


ADD = """
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b) }
"""

FUSION = """
fused { p0 = f32[8] parameter(0)
  p1 = f32[8] parameter(1)
  inner_add = f32[8] add(p0, p1)
  ROOT inner_exp = f32[8] exponential(inner_add) }

ENTRY main { x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  neg = f32[8] negate(x)
  fusion = f32[8] fusion(neg, y), kind=kLoop, calls=fused
  ROOT out = f32[8] tanh(fusion) }
"""

WHILE = """
body { state = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  v = f32[8] get-tuple-element(state), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  double = f32[8] add(v, v)
  ROOT again = (s32[], f32[8]) tuple(next, double) }

condition { c_state = (s32[], f32[8]) parameter(0)
  j = s32[] get-tuple-element(c_state), index=0
  end = s32[] constant(10)
  ROOT less = pred[] compare(j, end), direction=LT }

ENTRY main { x = f32[8] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[8]) tuple(zero, x)
  loop = (s32[], f32[8]) while(start), condition=condition, body=body
  result = f32[8] get-tuple-element(loop), index=1
  ROOT out = f32[8] tanh(result) }
"""


def scoped(*lines: str) -> HloModule:
    """A module of one computation whose lines may end in the `op_name`: `y = f32[] negate(x) @ model/dense/Neg`."""
    return entry_of(*(_with_op_name(line) for line in lines))


def _with_op_name(line: str) -> str:
    text, at, op_name = line.partition(" @ ")
    return f'{text}, metadata={{op_name="{op_name}"}}' if at else text


def has_circle(graph: DrawnGraph) -> bool:
    """Whether two boxes or frames beside each other are each before and after the other, at any depth."""
    above: list[tuple[int, ...]] = []
    for index, each in enumerate(graph.nodes):
        above.append((*(above[each.parent] if each.parent >= 0 else ()), index))
    following: dict[int, set[int]] = {}
    for each_edge in graph.edges:
        left, right = above[each_edge.source], above[each_edge.target]
        apart = next((pair for pair in zip(left, right, strict=False) if pair[0] != pair[1]), None)
        if apart is not None:
            following.setdefault(apart[0], set()).add(apart[1])
    waiting = Counter(target for targets in following.values() for target in targets)
    ready = [index for index in range(len(graph.nodes)) if not waiting[index]]
    done = 0
    while ready:
        done += 1
        for target in following.get(ready.pop(), ()):
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return done < len(graph.nodes)
