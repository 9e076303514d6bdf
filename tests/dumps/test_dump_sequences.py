"""Dumped files -> snapshots in order, with the gaps shown."""

from __future__ import annotations

import random

from xlaviz.dumps.sequence import PassSequence, pass_sequences

REASON = "its file name was too long"


def numbered(number: int, pass_name: str = "dce", *, head: str = "module_0000.f") -> str:
    return f"{head}.{number:04d}.pipeline.after_{pass_name}.before_next.hlo.pb"


BEFORE = "module_0000.f.before_optimizations.hlo.pb"
AFTER = "module_0000.f.cpu_after_optimizations.hlo.pb"


def sequence(files: list[str], lost: dict[str, str] | None = None) -> PassSequence:
    (only,) = pass_sequences(files, lost)
    return only


def gaps(files: list[str], lost: dict[str, str] | None = None) -> list[tuple[int, int, int, str]]:
    return [(g.before_index, g.first_number, g.last_number, g.reason) for g in sequence(files, lost).gaps]


def test_before_first_then_the_numbers_then_after() -> None:
    files = [AFTER, BEFORE, *(numbered(n) for n in (0, 1, 2, 9999, 10000)), "module_0000.f.0003.copies.after_a.txt"]
    random.Random(1).shuffle(files)
    found = sequence(files)
    assert [s.number for s in found.snapshots] == [None, 0, 1, 2, 3, 9999, 10000, None]
    assert [s.index for s in found.snapshots] == list(range(8))
    assert (found.snapshots[0].file, found.snapshots[-1].file) == (BEFORE, AFTER)
    assert (found.name, found.id, found.backend, found.last_index) == ("f", 0, "cpu", 7)


def test_a_proto_goes_before_a_text_of_the_same_snapshot() -> None:
    for ending in ("hlo.pb.gz", "txt", "hlo", "pbtxt"):
        other = numbered(0).replace("hlo.pb", ending)
        assert [s.file for s in sequence([other, BEFORE, numbered(0)]).snapshots] == [BEFORE, numbered(0)]
        assert [s.file for s in sequence([other]).snapshots] == [other]


def test_no_numbers_no_gaps() -> None:
    assert gaps([BEFORE, AFTER]) == []
    assert gaps([AFTER]) == []
    assert gaps([BEFORE, numbered(0), numbered(1), AFTER]) == []


def test_gaps_at_the_start_and_inside() -> None:
    files = [BEFORE, numbered(2), numbered(3), numbered(5), AFTER]
    assert gaps(files) == [(1, 0, 1, ""), (3, 4, 4, "")]
    texts = [gap.text for gap in sequence(files).gaps]
    assert texts[0].startswith("2 snapshots are missing: the file was not written")
    assert texts[1].startswith("snapshot 4 is missing: ")


def test_the_reason_comes_from_the_manifest() -> None:
    files = [BEFORE, numbered(0), numbered(3), AFTER]
    assert gaps(files, {numbered(2): REASON}) == [(2, 1, 2, REASON)]
    assert sequence(files, {numbered(1): REASON, numbered(2): REASON}).gaps[0].text == (
        f"2 snapshots are missing: {REASON}"
    )


def test_a_gap_at_the_end_is_known_from_the_manifest_alone() -> None:
    files = [BEFORE, numbered(0), AFTER]
    assert gaps(files) == []
    assert gaps(files, {numbered(2): REASON, numbered(1): REASON}) == [(2, 1, 2, REASON)]


def test_all_that_is_numbered_may_be_lost() -> None:
    assert gaps([BEFORE, AFTER], {numbered(0): REASON}) == [(1, 0, 0, REASON)]
    assert gaps([AFTER], {numbered(0): REASON}) == [(0, 0, 0, REASON)]


def test_what_another_module_lost_is_no_gap_here() -> None:
    assert gaps([BEFORE, numbered(0), AFTER], {numbered(1, head="module_0001.f"): REASON, "what.txt": REASON}) == []


def test_modules_are_told_apart_by_id_though_they_share_a_name() -> None:
    files = [
        f"module_{n:04d}.jit_f.{state}.txt"
        for n in (1, 2, 7)
        for state in ("before_optimizations", "0000.p.after_x.before_y")
    ]
    found = pass_sequences(files)
    assert [(s.id, s.name, len(s.snapshots)) for s in found] == [(n, "jit_f", 2) for n in (1, 2, 7)]


def test_modules_are_told_apart_by_name_though_they_share_an_id() -> None:
    """Two runs into one folder."""
    found = pass_sequences(
        [
            f"module_0001.{name}.{state}_optimizations.txt"
            for name in ("jit_g", "jit_f")
            for state in ("before", "after")
        ]
    )
    assert [(s.id, s.name, len(s.snapshots)) for s in found] == [(1, "jit_f", 2), (1, "jit_g", 2)]


def test_a_file_whose_name_had_no_room_for_the_modules_goes_with_its_id() -> None:
    found = sequence([BEFORE, numbered(0, head="module_0000"), AFTER])
    assert (found.name, len(found.snapshots)) == ("f", 3)


def test_a_module_without_name_is_called_by_its_id() -> None:
    assert sequence(["module_0226.after_optimizations.txt"]).name == "module_0226"


def test_folders_keep_modules_apart_and_stay_in_the_files_name() -> None:
    found = pass_sequences([f"{folder}/{file}" for folder in ("dump", "other") for file in (BEFORE, AFTER)])
    assert [[s.file for s in each.snapshots] for each in found] == [
        [f"{folder}/{BEFORE}", f"{folder}/{AFTER}"] for folder in ("dump", "other")
    ]


def test_of_a_state_dumped_twice_the_later_counts() -> None:
    files = [f"170000000000000{n}.module_0000.f.before_optimizations.txt" for n in (1, 3, 2)]
    assert [s.file for s in sequence(files).snapshots] == [files[1]]


def test_nothing_that_is_a_dump() -> None:
    assert pass_sequences(["notes.txt", "module_0000.f.debug_options", "dump/"]) == ()
    assert pass_sequences([]) == ()
