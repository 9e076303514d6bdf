"""Named pieces of a graph, no two of them each before and after the other."""

from __future__ import annotations

import random

import pytest

from xlaviz.graph import partition
from xlaviz.graph.partition import Piece, divide


def pieces(names: str, *operands: str, takes_in: bool = True) -> list[str]:
    """Items are numbered by the words of `names` (`-` for none), `operands` their operands' numbers."""
    words = names.split()
    named = {item: word for item, word in enumerate(words) if word != "-"}
    used = [[int(digit) for digit in digits if digit != "-"] for digits in operands]
    found = divide(range(len(words)), used, named, takes_in=takes_in)
    return [f"{piece.name or '-'}{''.join(map(str, piece.items))}" for piece in found]


def test_a_name_without_anything_between_is_one_piece() -> None:
    assert pieces("a a b b", "-", "0", "1", "2") == ["a01", "b23"]


def test_what_starts_early_but_serves_late_does_not_divide_a_name() -> None:
    assert pieces("a b a a", "-", "-", "1", "02") == ["b1", "a023"]


def test_a_name_before_and_after_another_is_two_pieces() -> None:
    assert pieces("a b a", "-", "0", "1") == ["a0", "b1", "a2"]


def test_the_larger_name_stays_whole() -> None:
    assert pieces("a b b a b", "-", "0", "1", "2", "3") == ["a0", "b12", "a3", "b4"]


def test_what_has_no_name_is_taken_in_where_it_lies_between() -> None:
    assert pieces("a - a", "-", "0", "1") == ["a012"]
    assert pieces("a - a", "-", "0", "1", takes_in=False) == ["a0", "-1", "a2"]


def test_what_has_no_name_and_lies_aside_stays_apart() -> None:
    assert pieces("a - a", "-", "0", "0") == ["a02", "-1"]


def test_a_stray_of_another_name_is_taken_in_by_a_large_one() -> None:
    count = 40
    names = dict.fromkeys(range(count), "large") | {count // 2: "stray"}
    (piece,) = divide(range(count), [[item - 1] if item else [] for item in range(count)], names)
    assert piece == Piece("large", tuple(range(count)))


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("takes_in", [True, False])
def test_pieces_of_any_graph_are_in_topological_order_and_hold_each_item_once(seed: int, takes_in: bool) -> None:
    chance = random.Random(seed)
    count = chance.randrange(1, 120)
    operands = [[other for other in range(item) if chance.random() < 0.04] for item in range(count)]
    names = {item: chance.choice("abcdef") for item in range(count) if chance.random() < 0.7}
    found = divide(range(count), operands, names, takes_in=takes_in)
    place = {item: index for index, piece in enumerate(found) for item in piece.items}
    assert sorted(place) == list(range(count)) == sorted(item for piece in found for item in piece.items)
    assert all(place[operand] <= place[item] for item in range(count) for operand in operands[item])
    assert takes_in or all(names.get(item) == piece.name for piece in found for item in piece.items)


def test_too_many_pieces_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition, "MAX_NODES", 2)
    assert pieces("a b a a", "-", "-", "1", "02") == ["a0", "b1", "a23"]
