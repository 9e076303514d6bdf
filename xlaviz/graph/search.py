"""Finding instructions in a whole module, drawn or not."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from xlaviz.base.errors import XlavizError
from xlaviz.graph.query import Query, Term, parse_query
from xlaviz.hlo.model import HloInstruction, HloModule
from xlaviz.hlo.shapes import Shape

__all__ = ["Query", "find", "parse_query"]

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "=": operator.eq,
}


def find(
    module: HloModule,
    query: Query,
    *,
    times: Mapping[str, float] | None = None,
    sources: Mapping[str, str] | None = None,
) -> list[str]:
    """Names of the instructions for which all terms hold, in the module's order; none for an empty query.

    `times` are microseconds by instruction. `sources` are places as `file:line` by `op_name`, in which a capture knows
    more than the metadata.
    """
    if not query.terms:
        return []
    index = _index_of(module)
    found: Iterable[int] = range(len(index.instructions))
    for term in sorted(query.terms, key=lambda term: term.key in ("bytes", "users")):  # the slow ones on what is left
        holds = _condition(index, term, times, sources or {})
        found = [number for number in found if holds(number) != term.is_negated]
    return [index.instructions[number].name for number in found]


class _Index:
    """The texts of a module's instructions, in small letters, each made when it is first searched."""

    def __init__(self, module: HloModule) -> None:
        self.module = module
        self.instructions = [i for computation in module.computations for i in computation.instructions]
        self.computations = [c.name.lower() for c in module.computations for _ in c.instructions]
        self.names = [instruction.name.lower() for instruction in self.instructions]
        self.op_names = [instruction.metadata.op_name.lower() for instruction in self.instructions]

    @cached_property
    def shapes(self) -> list[str]:
        known: dict[Shape, str] = {}
        texts = []
        for instruction in self.instructions:
            text = known.get(instruction.shape)
            if text is None:
                text = known[instruction.shape] = instruction.shape.text(layout=False)
            texts.append(text)
        return texts

    @cached_property
    def texts(self) -> list[str]:
        columns = zip(self.instructions, self.names, self.shapes, self.op_names, strict=True)
        return [f"{name}\n{i.opcode}\n{shape}\n{op_name}" for i, name, shape, op_name in columns]

    @cached_property
    def user_counts(self) -> dict[str, int]:
        return {name: len(users) for c in self.module.computations for name, users in c.users.items()}


def _index_of(module: HloModule) -> _Index:
    """The module's texts, kept with it as its look-up tables are."""
    known: _Index | None = vars(module).get("search index")
    if known is None:
        known = vars(module)["search index"] = _Index(module)
    return known


def _condition(
    index: _Index, term: Term, times: Mapping[str, float] | None, sources: Mapping[str, str]
) -> Callable[[int], bool]:
    match term.key:
        case "time":
            return _time_condition(index, term, times)
        case "users" | "operands" | "bytes":
            compare, value = _COMPARE[term.sign], _number(index, term.key)
            return lambda number: compare(value(number), term.number)
        case "file" | "line":
            return _place_condition(index, term, sources)
        case "opcode" if term.pattern is None:
            return lambda number: index.instructions[number].opcode == term.text
        case "":
            return _word_condition(index, term, sources)
    column = {"name": index.names, "op": index.op_names, "comp": index.computations}.get(term.key)
    if column is None:
        column = index.shapes if term.key == "shape" else [i.opcode for i in index.instructions]
    if term.pattern is not None:
        search = term.pattern.search
        return lambda number: search(column[number]) is not None
    return lambda number: term.text in column[number]


def _word_condition(index: _Index, term: Term, sources: Mapping[str, str]) -> Callable[[int], bool]:
    """Anywhere: name, opcode, shape, op_name or source line."""
    places = {op_name: place.lower() for op_name, place in sources.items()}
    texts, instructions = index.texts, index.instructions
    if term.pattern is not None:
        search = term.pattern.search
        return lambda number: any(map(search, (*texts[number].split("\n"), _place(instructions[number], places))))
    word = term.text
    return lambda number: word in texts[number] or word in _place(instructions[number], places)


def _place(instruction: HloInstruction, sources: Mapping[str, str]) -> str:
    """`file:line`, in small letters where the sources are; empty where nobody knows."""
    metadata = instruction.metadata
    known = sources.get(metadata.op_name) if metadata.op_name and sources else None
    if known is not None:
        return known
    return f"{metadata.source_file}:{metadata.source_line}".lower() if metadata.source_file else ""


def _place_condition(index: _Index, term: Term, sources: Mapping[str, str]) -> Callable[[int], bool]:
    places = {op_name: place.lower() for op_name, place in sources.items()}

    def holds(number: int) -> bool:
        file, _, line = _place(index.instructions[number], places).rpartition(":")
        if term.key == "line" and term.pattern is None:
            return line == term.text
        value = file if term.key == "file" else line
        return term.pattern.search(value) is not None if term.pattern is not None else term.text in value

    return holds


def _time_condition(index: _Index, term: Term, times: Mapping[str, float] | None) -> Callable[[int], bool]:
    if times is None:
        raise XlavizError(
            "No times are known of this module.", hint="Capture the function, or open a bundle with a run."
        )
    limit = term.number * sum(times.values()) if term.is_share else term.number
    compare = _COMPARE[term.sign]
    known = {number: times[i.name] for number, i in enumerate(index.instructions) if i.name in times}
    return lambda number: number in known and compare(known[number], limit)


def _number(index: _Index, key: str) -> Callable[[int], float]:
    instructions = index.instructions
    if key == "users":
        return lambda number: index.user_counts.get(instructions[number].name, 0)
    if key == "operands":
        return lambda number: len(instructions[number].operands)
    return lambda number: instructions[number].shape.byte_count
