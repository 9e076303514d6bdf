"""The usual instruction line, taken by one expression at several times the parser's speed.

It takes only what the parser would read the same way and leaves every other line to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xlaviz.hlo.attribute_text import CALLED, AttributeList, names_in, read_metadata
from xlaviz.hlo.draft import DraftInstruction
from xlaviz.hlo.lexer import NAME, Scanner
from xlaviz.hlo.literal_text import literal_shown
from xlaviz.hlo.model import NO_ATTRIBUTES, NO_METADATA, LazyAttributes, LazyText, Metadata
from xlaviz.hlo.shape_text import read_shape
from xlaviz.hlo.shapes import Shape

_STRING = r'"(?:[^"\\\n]|\\[^\n])*+"'
_INDEX = r"/\*\w+=\d+\*/"


def _nested(opening: str, closing: str, depth: int) -> str:
    """Groups within groups, `depth` levels of them: expressions cannot count, and the parser takes the rest."""
    plain = rf"""[^{opening}{closing}"'\n/]++|{_STRING}|{_INDEX}"""
    group = rf"{opening}(?:{plain})*+{closing}"
    for _ in range(depth - 1):
        group = rf"{opening}(?:{plain}|{group})*+{closing}"
    return group


_BRACES = _nested(r"\{", r"\}", 5)
_TUPLE = _nested(r"\(", r"\)", 4)
_SHAPE = rf"(?:[a-z]\w*+\[[\d,<=?]*+\](?:\{{[\d:][^{{}}\n]*+\}})?+|{_TUPLE})"
_VALUE = rf"""(?:{_BRACES}|{_STRING}|[^\s,(){{}}\[\]"'/]++|\[[\d,]*+\](?:T\([\d,]*+\))?+)++"""
_ATTRIBUTE = rf"[A-Za-z_][\w.\-]*+={_VALUE}"
_LITERAL = re.compile(_BRACES)
_METADATA = _nested(r"\{", r"\}", 2)
_OTHER = rf"((?:, (?!metadata=){_ATTRIBUTE})*+)"
_LINE = re.compile(
    rf"\s*+(ROOT )?+%?({NAME}) = ({_SHAPE}) ([a-z][\w\-]*+)"
    rf"\(((?:[^()\n\"'/]++|{_INDEX})*+)\)"
    rf"{_OTHER}(?:, metadata=({_METADATA}))?+{_OTHER}"
    r"[ \t]*+(?:\n|\Z)(?!\s*+[,/])"
)
_PAIR = re.compile(rf", ([A-Za-z_][\w.\-]*+)=({_VALUE})")
_OPERAND = rf"(?:{_INDEX} ?)?+(?:[a-z]\w*+\[[\d,<=?]*+\](?:\{{[\d:][^{{}}\n]*+\}})?+ )?+%?{NAME}"
_OPERANDS = re.compile(rf"{_OPERAND}(?:, {_OPERAND})*+")
_OPERAND_NAME = re.compile(rf"({NAME})(?=, |$)")


@dataclass(slots=True)
class _Attributes:
    """What one text of attributes, metadata left out, comes to."""

    values: Mapping[str, str]
    called: tuple[str, ...] = ()
    control_predecessors: tuple[str, ...] = ()


_NOTHING = _Attributes(NO_ATTRIBUTES)


class CommonLines:
    """Takes instruction lines for as long as they are usual ones. Equal shapes and attributes are shared."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._shapes: dict[str, Shape] = {}
        self._attributes: dict[str, _Attributes] = {"": _NOTHING}
        self._metadata: dict[str | None, Metadata] = {None: NO_METADATA}
        self._literals: dict[str, Callable[[], str]] = {}

    def read(self, instructions: list[DraftInstruction]) -> None:
        """Appends the instructions of the usual lines that come next and moves past them."""
        scanner = self._scanner
        text, end, match = scanner.text, scanner.end, _LINE.match
        while (line := match(text, scanner.position, end)) is not None:
            instruction = self._instruction(line)
            if instruction is None:
                return
            instructions.append(instruction)
            scanner.position = line.end()

    def _instruction(self, line: re.Match[str]) -> DraftInstruction | None:
        root, name, shape_text, opcode, operands, before, metadata_text, after = line.groups()
        shape = self._shapes.get(shape_text)
        if shape is None:
            shape = self._shape(line)
            if shape is None:
                return None
        attributes = self._attributes.get(before + after)
        if attributes is None:
            attributes = self._attributes[before + after] = _attributes(before + after)
        metadata = self._metadata.get(metadata_text)
        if metadata is None:
            metadata = self._metadata[metadata_text] = read_metadata(metadata_text)
        instruction = DraftInstruction(
            name, opcode, shape, (), line.start(2), root is not None,
            attributes.called, attributes.control_predecessors, None, metadata, attributes.values,
        )  # fmt: skip
        if opcode == "parameter":
            if not operands.isdecimal():
                return None
            instruction.parameter_number = int(operands)
        elif opcode == "constant":
            if "{" in operands and _LITERAL.fullmatch(operands) is None:
                return None
            instruction.read_literal = self._literal(operands, shape)
        elif operands:
            if _OPERANDS.fullmatch(operands) is None:
                return None
            instruction.operands = tuple(_OPERAND_NAME.findall(operands))
        return instruction

    def _shape(self, line: re.Match[str]) -> Shape | None:
        scanner = Scanner(self._scanner.text, file=self._scanner.file, position=line.start(3), end=line.end(3))
        shape = read_shape(scanner)
        if not scanner.at_end:
            return None
        self._shapes[line[3]] = shape
        return shape

    def _literal(self, text: str, shape: Shape) -> Callable[[], str]:
        shown = literal_shown(text, shape)
        known = self._literals.get(shown)
        if known is None:
            known = self._literals[shown] = LazyText.of(shown)
        return known


def _attributes(text: str) -> _Attributes:
    found = AttributeList()
    for key, value in _PAIR.findall(text):
        found.add(key, value)
    called = {key: names_in(value) for key, value in found.called}
    return _Attributes(
        LazyAttributes.of(found.values) if found.values else NO_ATTRIBUTES,
        tuple(name for key in sorted(called, key=CALLED.index) for name in called[key]),
        names_in(found.control_predecessors),
    )
