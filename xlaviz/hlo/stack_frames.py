"""The tables of stack frames between a module's header and its first computation."""

from __future__ import annotations

import re

from xlaviz.hlo.lexer import STRING, Scanner, unquoted
from xlaviz.hlo.model import StackFrame

_TABLE = re.compile(r"(FileNames|FunctionNames|FileLocations|StackFrames)\b(?!\s*[=({])")
_STRING_ROW = re.compile(rf"(\d+)\s+({STRING})")
_FIELDS_ROW = re.compile(r"(\d+)\s*\{([^{}]*)\}")
_FIELD = re.compile(r"(\w+)\s*=\s*(-?\d{1,18})")


def read_stack_frames(scanner: Scanner) -> tuple[StackFrame, ...]:
    """The frames, the first one id 1; a table that misses a row gives frames without a place."""
    strings: dict[str, dict[int, str]] = {"FileNames": {}, "FunctionNames": {}}
    rows: dict[str, dict[int, dict[str, int]]] = {"FileLocations": {}, "StackFrames": {}}
    while table := scanner.take(_TABLE):
        if table[1] in strings:
            while row := scanner.take(_STRING_ROW):
                strings[table[1]][_id(row)] = unquoted(row[2])
        else:
            while row := scanner.take(_FIELDS_ROW):
                rows[table[1]][_id(row)] = {key: int(value) for key, value in _FIELD.findall(row[2])}
    return tuple(
        _frame(frame, rows["FileLocations"].get(frame.get("file_location_id", 0), {}), strings)
        for _, frame in sorted(rows["StackFrames"].items())
    )


def _id(row: re.Match[str]) -> int:
    return int(row[1][:18])


def _frame(frame: dict[str, int], place: dict[str, int], strings: dict[str, dict[int, str]]) -> StackFrame:
    return StackFrame(
        file=strings["FileNames"].get(place.get("file_name_id", 0), ""),
        function=strings["FunctionNames"].get(place.get("function_name_id", 0), ""),
        line=place.get("line", 0),
        end_line=place.get("end_line", 0),
        column=place.get("column", 0),
        end_column=place.get("end_column", 0),
        # XLA prints one more than the proto holds.
        parent=max(0, frame.get("parent_frame_id", 1) - 1),
    )
