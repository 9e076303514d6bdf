"""Cutting a sequence without names into blocks."""

from __future__ import annotations

from xlaviz.graph.blocks import MOST, Block, blocks, crossing_counts


def chain(count: int) -> list[tuple[int, ...]]:
    return [(item - 1,) if item else () for item in range(count)]


def test_values_cross_from_where_they_are_made_to_their_last_use() -> None:
    assert crossing_counts(4, [(), (0,), (), (0, 2)]) == [0, 1, 1, 2, 0]


def test_a_sequence_that_repeats_itself_is_cut_at_its_period() -> None:
    tokens = ["in", *"abcd" * 6, "out", "end"]
    found = blocks(tokens, chain(len(tokens)))
    assert [(block.start, block.end, *block.turns) for block in found] == [
        (0, 1),
        *((1 + 4 * turn, 5 + 4 * turn, turn) for turn in range(6)),
        (25, 27),
    ]
    assert {block.total for block in found} == {0, 6}


def test_the_period_is_cut_where_fewest_values_cross() -> None:
    tokens = list("abcd" * 6)
    operands = chain(24)
    for item in range(2, 24, 4):  # c uses a too, d uses b: only before each b or after each d little crosses
        operands[item] = (item - 2, item - 1)
    found = blocks(tokens, operands)
    assert all(tokens[block.start] in "ad" for block in found if block.turns)


def test_many_turns_share_blocks() -> None:
    found = blocks(list("abcde" * 100), chain(500))
    assert len(found) <= MOST
    assert found[0].turns == range(5)
    assert [block.start for block in found[1:]] == [block.end for block in found[:-1]]


def test_two_repetitions_are_two_blocks_with_their_turns_inside() -> None:
    tokens = [*"abcd" * 8, *"xyz" * 9]
    first, second = blocks(tokens, chain(len(tokens)))
    assert (first.total, len(first.inner), second.total, len(second.inner)) == (8, 8, 9, 9)
    assert first.inner[0].start == first.start


def test_what_does_not_repeat_is_cut_where_few_values_cross() -> None:
    count = 120
    operands = [tuple(other for other in (item - 1, item - 5) if other >= item - item % 15) for item in range(count)]
    operands = [used or ((item - 1,) if item else ()) for item, used in enumerate(operands)]
    found = blocks(list(range(count)), operands)
    assert 4 <= len(found) <= MOST
    assert {block.start % 15 for block in found} == {0}


def test_blocks_cover_the_sequence() -> None:
    for count in (31, 100, 1000):
        found = blocks([item % 7 * (item % 3) for item in range(count)], chain(count))
        assert found[0].start == 0
        assert found[-1].end == count
        assert [block.start for block in found[1:]] == [block.end for block in found[:-1]]


def test_a_block_of_no_repetition_has_no_turns() -> None:
    assert not Block(0, 3).turns
