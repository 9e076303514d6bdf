"""The attributes behind an instruction's operands, and metadata, read from text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from xlaviz.hlo.lexer import STRING, Scanner, unquoted, without_comments
from xlaviz.hlo.model import Metadata

CALLED = (
    "body", "condition", "true_computation", "false_computation", "branch_computations",
    "select", "scatter", "to_apply", "calls", "called_computations",
)  # fmt: skip
"""The attributes that name computations, in the order the proto has them."""

_PAIR_KEY = re.compile(r"([A-Za-z_][\w.\-]*)\s*=\s*")
_WORD = re.compile(r"""(?:(?!/[/*])[^\s,(){}\[\]"'])++""")
_CONTINUES = re.compile(r"(?:[ \t]|/\*(?:[^*]|\*(?!/))*\*/)+(?=[{(]|(?:-?(?:\d|nan|inf)|true|false)\b)")
_NAME = re.compile(r"%?([\w][\w.\-]*)")

_METADATA_FIELD = re.compile(rf"(\w+)\s*=\s*({STRING}|\{{[^{{}}]*\}}|[^\s,{{}}]++)[\s,]*")
_METADATA_FIELDS = (
    "source_end_line", "source_column", "source_end_column", "profile_type", "deduplicated_name", "scheduling_name",
)  # fmt: skip


@dataclass(slots=True)
class AttributeList:
    """An instruction's attributes as they stand, and of those that the model has fields for, the text."""

    values: dict[str, str] = field(default_factory=dict)
    called: list[tuple[str, str]] = field(default_factory=list)
    control_predecessors: str = ""
    metadata: str = ""

    def add(self, key: str, value: str) -> None:
        """Takes the first of two that have the same name."""
        if key == "metadata":
            self.metadata = self.metadata or value
        elif key in CALLED:
            self.called.append((key, value))
        elif key == "control-predecessors":
            self.control_predecessors = value
        else:
            self.values.setdefault(key, without_comments(value))


def read_key(scanner: Scanner) -> str:
    """Moves past `, key=`; empty if no attribute comes next."""
    start = scanner.position
    scanner.take_text(",")
    found = scanner.take(_PAIR_KEY)
    if found is None:
        scanner.position = start
        return ""
    return found[1]


def read_value(scanner: Scanner) -> str:
    """Moves past one value and returns its text: words, strings and groups up to a comma, a line's end or a bracket."""
    text = scanner.text
    scanner.skip_blanks()
    start = scanner.position
    while scanner.position < scanner.end:
        char = text[scanner.position]
        if char in "([{":
            scanner.skip_group()
        elif char in "\"'":
            scanner.skip_string()
        elif word := _WORD.match(text, scanner.position, scanner.end):
            scanner.position = word.end()
        elif scanner.position > start and (blank := _CONTINUES.match(text, scanner.position, scanner.end)):
            scanner.position = blank.end()
        else:
            break
    if scanner.position == start:
        raise scanner.error("expected a value")
    return text[start : scanner.position]


def names_in(value: str) -> tuple[str, ...]:
    """The names in `%a` or `{%a, %b}`."""
    return tuple(_NAME.findall(without_comments(value)))


def read_metadata(text: str) -> Metadata:
    """The Metadata of `{op_type="Add" op_name="x"}`; a field that is no such thing is left out."""
    fields = dict(_METADATA_FIELD.findall(text, 1, len(text) - 1))
    op_type, op_name = fields.pop("op_type", ""), fields.pop("op_name", "")
    source_file = fields.pop("source_file", "")
    return Metadata(
        op_type=unquoted(op_type),
        op_name=unquoted(op_name),
        source_file=unquoted(source_file),
        source_line=_number(fields.pop("source_line", "0")),
        stack_frame_id=_number(fields.pop("stack_frame_id", "0")),
        others=tuple(sorted(fields.items(), key=_field_order)) if fields else (),
    )


def _field_order(pair: tuple[str, str]) -> int:
    return _METADATA_FIELDS.index(pair[0]) if pair[0] in _METADATA_FIELDS else len(_METADATA_FIELDS)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.lstrip("-").isdigit() and len(text) < 20 else 0
