"""Cutting a long sequence into blocks where nothing has a name: at its period where it repeats itself, else where few
values cross. Blocks are ranges of a topological order, so their boxes never stand in a circle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

_MISMATCH = 4
_PERIODS_TRIED = 24
_LEAST_SHARE = 0.12
"""Of a sequence, below which a repetition in it does not count."""

_LEAST_COVERED = 0.4
"""Of a sequence by all repetitions together, below which it is cut without regard to them."""

_TURNS_AT_LEAST = 3
_LONG = 400
_CLEARLY_MORE = 1.15
_ABOUT = 1.1
_ALIKE = 0.7
_PLACES_TRIED = 40
MOST = 24
_FEWEST = 8
_PER_BLOCK = 12
_Section = tuple[int, int, int]
"""Where a repetition starts, its period, and how often it comes."""


@dataclass(frozen=True, slots=True)
class Block:
    """A range of the sequence. `turns` are the repetitions that it holds of a period that comes `total` times, numbered
    from 0; `inner` the blocks of a whole repetition, where the sequence repeats one thing and then another."""

    start: int
    end: int
    turns: range = range(0)
    total: int = 0
    inner: tuple[Block, ...] = ()


def crossing_counts(count: int, operands: Sequence[Sequence[int]]) -> list[int]:
    """For each place in a sequence how many values made before it are used at it or later."""
    last = list(range(count))
    for item, used in enumerate(operands):
        for operand in used:
            last[operand] = max(last[operand], item)
    change = [0] * (count + 1)
    for item, end in enumerate(last):
        if end > item:
            change[item + 1] += 1
            change[end + 1] -= 1
    total = 0
    return [total := total + step for step in change]


def blocks(tokens: Sequence[Hashable], operands: Sequence[Sequence[int]]) -> list[Block]:
    """The sequence in about MOST blocks at most. Equal tokens stand for items that look alike."""
    crossing = crossing_counts(len(tokens), operands)
    sections = _sections(tokens, crossing)
    if not sections:
        return _cut(0, len(tokens), crossing, min(MOST, max(_FEWEST, len(tokens) // _PER_BLOCK)))
    result: list[Block] = []
    place = 0
    for start, length, count in sections:
        if start > place:
            result.append(Block(place, start))
        place = start + length * count
        turns = _turns(start, length, count)
        result += turns if len(sections) == 1 else [Block(start, place, range(count), count, tuple(turns))]
    return [*result, Block(place, len(tokens))] if place < len(tokens) else result


def _turns(start: int, length: int, count: int) -> list[Block]:
    """The turns of a repetition, several in one block where there are too many."""
    step = -(-count // MOST)
    held = [range(turn, min(turn + step, count)) for turn in range(0, count, step)]
    return [Block(start + turns.start * length, start + turns.stop * length, turns, count) for turns in held]


def _sections(tokens: Sequence[Hashable], crossing: Sequence[int]) -> list[_Section]:
    """The repetitions that cover most of the sequence, in order, none over another."""
    found: list[_Section] = []
    open_ranges = [(0, len(tokens))]
    while open_ranges:
        low, high = open_ranges.pop()
        if high - low < max(_LEAST_SHARE * len(tokens), 6):
            continue
        repeated = _repetition(tokens[low:high], _LEAST_SHARE * len(tokens))
        if repeated is None:
            continue
        start, length, turns = _aligned(tokens[low:high], crossing[low : high + 1], *repeated)
        found.append((low + start, length, turns))
        open_ranges += [(low, low + start), (low + start + length * turns, high)]
    found.sort()
    is_enough = sum(length * turns for _, length, turns in found) >= _LEAST_COVERED * len(tokens)
    return found if is_enough else []


def _aligned(tokens: Sequence[Hashable], crossing: Sequence[int], start: int, length: int, turns: int) -> _Section:
    """The repetition cut where fewest values cross; of such places the one that leaves most turns whole. The first and
    the last turn may be a little different, as the first and the last layer of a model are."""

    def extended(offset: int) -> tuple[int, int]:
        first, count = start + offset, turns - (offset > 0)
        while first >= length and _alike(tokens[first - length : first], tokens[first : first + length]):
            first, count = first - length, count + 1
        while (end := first + (count + 1) * length) <= len(tokens):
            if not _alike(tokens[end - length : end], tokens[first : first + length]):
                break
            count += 1
        return first, count

    crossings = [sum(crossing[start + offset :: length][: turns - 1]) for offset in range(length)]
    least = min(crossings)
    places = [offset for offset, crossed in enumerate(crossings) if crossed <= least * _ABOUT]
    best = max(map(extended, places[:_PLACES_TRIED]), key=lambda place: place[1])
    return best[0], length, best[1]


def _alike(one: Sequence[Hashable], other: Sequence[Hashable]) -> bool:
    common = (Counter(one) & Counter(other)).total()
    return common >= _ALIKE * len(other)


def _repetition(tokens: Sequence[Hashable], least: float) -> _Section | None:
    """The repetition that covers most; None where none covers `least` items."""
    places: dict[Hashable, list[int]] = {}
    for place, token in enumerate(tokens):
        places.setdefault(token, []).append(place)
    gaps: Counter[int] = Counter()
    for found in places.values():
        gaps.update(b - a for a, b in pairwise(found))
        # A block holds some things two or three times: then it repeats after as many places.
        for step in (2, 3):
            gaps.update(b - a for a, b in zip(found, found[step:], strict=False))
    likely = sorted(gaps, key=lambda gap: (-gaps[gap] * min(gap, _LONG), gap))[:_PERIODS_TRIED]
    best: _Section | None = None
    for length in sorted(gap for gap in likely if gap > 1):
        start, end = _longest_match(tokens, length)
        turns = (end - start + length) // length
        # A multiple of the period covers as much: a longer one must cover clearly more to be it.
        needed = max(least, _CLEARLY_MORE * best[1] * best[2] if best is not None else 0)
        if turns >= _TURNS_AT_LEAST and turns * length >= needed:
            best = (start, length, turns)
    return best


def _longest_match(tokens: Sequence[Hashable], length: int) -> tuple[int, int]:
    """The range in which most tokens equal the one `length` later: a mismatch costs some matches."""
    best = (0, 0, 0)
    total = start = 0
    for place, (token, later) in enumerate(zip(tokens, tokens[length:], strict=False)):
        total += 1 if token == later else -_MISMATCH
        if total <= 0:
            total, start = 0, place + 1
        elif total > best[0]:
            best = (total, start, place + 1)
    return best[1], best[2]


def _cut(start: int, end: int, crossing: Sequence[int], most: int) -> list[Block]:
    """Blocks of about equal size, each ending where fewest values cross within a half size round its even share."""
    size = max((end - start) / most, 2)
    result = []
    place = start
    while end - place > 1.5 * size:
        low, middle, high = round(place + size / 2), place + size, round(place + 1.5 * size)
        cut = min(range(max(low, place + 1), high + 1), key=lambda at: (crossing[at], abs(at - middle)))
        result.append(Block(place, cut))
        place = cut
    return [*result, Block(place, end)]
