"""The first pass after which something is so: `opcode:transpose grows`, `layout of %x changes`, `%x is fused`."""

from __future__ import annotations

import re
from collections.abc import Callable

from xlaviz.base.errors import XlavizError
from xlaviz.lineage.record import StepRecord
from xlaviz.lineage.story import Story

QUESTIONS = (
    "opcode:transpose grows",
    "opcode:transpose shrinks",
    "opcode:transpose changes",
    "opcode:transpose appears",
    "opcode:transpose disappears",
    "instructions grow",
    "layout of %x changes",
    "shape of %x changes",
    "operands of %x change",
    "%x changes",
    "%x is moved",
    "%x is fused",
    "%x is duplicated",
    "%x is merged",
    "%x is rewritten",
    "%x disappears",
)
"""The forms understood, for help. `count of opcode X changes` and `opcode:X count changes` are the same."""

_COUNTS: dict[str, Callable[[int, int], bool]] = {
    "grow": lambda before, after: after > before,
    "shrink": lambda before, after: after < before,
    "change": lambda before, after: after != before,
    "appear": lambda before, after: after > 0 == before,
    "disappear": lambda before, after: after == 0 < before,
}

_COUNT = re.compile(r"(?:count of |number of )?(?:opcode[: ]\s*([\w-]+)|(instructions?))(?: count)? ([a-z]+?)s?")
_PART = re.compile(r"([a-z][\w: -]*?) of %?(\S+) changes?")
_EVENT = re.compile(r"%?(\S+) (?:is |gets |was )?([a-z]+)")


def first_change(story: Story, question: str, start: int = 0) -> int | None:
    """The first snapshot after `start` at which it is so, None where it never becomes so.

    An instruction is followed under whatever names it has, as long as it is itself, not what it was rewritten to.
    """
    text = " ".join(question.strip().rstrip("?.").split())
    if found := _COUNT.fullmatch(text):
        opcode, _, verb = found.groups()
        if verb in _COUNTS:
            return _first_count(story, opcode, _COUNTS[verb], start)
    if found := _PART.fullmatch(text):
        part, name = found.groups()
        return _first_event(story, name, lambda record, one: _has_part(record, one, part), start)
    if (found := _EVENT.fullmatch(text)) and (event := _event(found.group(2))) is not None:
        return _first_event(story, found.group(1), event, start)
    raise XlavizError(f"'{question}' is no question that can be answered.", hint=f"Ask as in: {'; '.join(QUESTIONS)}.")


def _first_count(story: Story, opcode: str | None, is_so: Callable[[int, int], bool], start: int) -> int | None:
    def count(index: int) -> int:
        counts = story.opcodes(index)
        return sum(counts.values()) if opcode is None else counts.get(opcode, 0)

    return next((i for i in range(start + 1, story.last_index + 1) if is_so(count(i - 1), count(i))), None)


_Event = Callable[[StepRecord, str], bool]
"""Whether it happened in this step to the instruction that is called so in the snapshot before."""


def _first_event(story: Story, name: str, event: _Event, start: int) -> int | None:
    there = [index for index in story.snapshots_with(name) if index >= start]
    if not there:
        raise XlavizError(f"There is no instruction '{name}' from snapshot {start} on.")
    names: tuple[str, ...] = (name,)
    for index in range(there[0] + 1, story.last_index + 1):
        record = story.step_to(index)
        if any(event(record, one) for one in names):
            return index
        names = tuple(dict.fromkeys(heir for one in names for heir in record.same(one)))
    return None


def _event(word: str) -> _Event | None:
    events: dict[str, _Event] = {
        "changes": lambda record, name: bool(_parts(record, name)),
        "moved": lambda record, name: name in record.diff.moved,
        "fused": lambda record, name: any(heir in record.entered for heir in record.same(name)),
        "duplicated": lambda record, name: len(record.same(name)) > 1,
        "merged": lambda record, name: name in record.merged and not record.same(name),
        "rewritten": _is_rewritten,
        "disappears": lambda record, name: not record.same(name),
        "removed": lambda record, name: not record.same(name),
    }
    return events.get({"moves": "moved", "disappear": "disappears", "change": "changes"}.get(word, word))


def _parts(record: StepRecord, name: str) -> tuple[str, ...]:
    """What of an instruction changed, whether it kept its name or not."""
    changes = record.diff.changes.get(name, ()) if record.is_kept(name) else ()
    return (*changes, *("layout" for heir in record.same(name) if heir in record.relaid))


def _has_part(record: StepRecord, name: str, part: str) -> bool:
    return any(part in (one, one.removeprefix("attributes: ")) for one in _parts(record, name))


def _is_rewritten(record: StepRecord, name: str) -> bool:
    return any(record.how.get(heir) == "rewrite" for heir in record.heirs.get(name, ()))
