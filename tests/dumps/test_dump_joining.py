"""Profiles joined with a dump of the same run."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from helpers.recorded import write_dump, write_profile

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.document import RUN_PROFILE, open_document
from xlaviz.dumps.joining import match_programs
from xlaviz.dumps.sequence import PassSequence, pass_sequences
from xlaviz.profile.kernels import kernel_table


def dumped(*modules: tuple[int, str]) -> tuple[PassSequence, ...]:
    return pass_sequences(f"module_{id_:04}.{name}.before_optimizations.txt" for id_, name in modules)


def matched(programs: dict[int, str], *modules: tuple[int, str]) -> dict[int, int]:
    return {id_: sequence.id for id_, sequence in match_programs(programs, dumped(*modules)).items()}


def test_id_and_name_join() -> None:
    assert matched({3: "f", 5: "f"}, (3, "f"), (5, "f"), (7, "g")) == {3: 3, 5: 5}


def test_a_name_that_is_the_only_one_on_each_side_joins() -> None:
    assert matched({3: "f", 4: "g"}, (9, "f"), (3, "h")) == {3: 9}
    assert matched({3: "f"}, (9, "f"), (11, "f")) == {}
    assert matched({3: "f", 5: "f"}, (9, "f")) == {}


def test_an_id_alone_joins_nothing() -> None:
    assert matched({3: "f"}, (3, "g")) == {}


def test_names_are_compared_as_they_are_in_file_names() -> None:
    assert matched({3: "jit f[2]/x"}, (3, "jit_f_2__x")) == {3: 3}


def test_a_folder_with_both(tmp_path: Path) -> None:
    write_profile(tmp_path / "logs/plugins/profile/r/box.xplane.pb", {4: "g", 3: "f"})
    write_dump(tmp_path / "dump", {3: "f", 8: "h"})
    document = open_document(tmp_path)
    listed = [(s.name, s.id, len(s.snapshots), s.recorded and s.recorded.text) for s in document.sequences]
    where = "run r in logs · host box"
    assert listed == [("f", 3, 2, where), ("g", 4, 1, where), ("h", 8, 2, None)]
    main = document.main_sequence
    assert main.name == "f"
    profile = document.read_profile(main)
    assert profile is not None
    assert document.program_of(main, profile) == 3
    table = kernel_table(profile, 3, document.read_module(main.snapshots[-1]))
    assert (table.runs, table.unmatched) == (1, 0)
    last = document.sequences[-1]
    assert document.read_profile(last) is None
    assert "None of the profiles here is of h" in document.why_no_times(last)
    document.close()


def test_every_run_has_the_snapshots_of_the_dump(tmp_path: Path) -> None:
    for run, id_ in (("1", 3), ("2", 3), ("3", 5)):
        write_profile(tmp_path / run / "box.xplane.pb", {id_: "f"})
    write_dump(tmp_path, {3: "f"})
    document = open_document(tmp_path)
    assert sorted(s.recorded.run for s in document.sequences if s.recorded) == ["1", "2", "3"]
    assert {len(s.snapshots) for s in document.sequences} == {2}
    assert len(set(document.sequences)) == 3


def test_a_profile_with_a_dump_beside_it(tmp_path: Path) -> None:
    profile = write_profile(tmp_path / "log/plugins/profile/r/box.xplane.pb", {3: "f", 4: "g"}, without=(3,))
    write_dump(tmp_path / "another", {3: "other"})
    write_dump(tmp_path / "one", {4: "g"})
    dump = write_dump(tmp_path / "both", {3: "f", 9: "g"})
    (dump / "module_0003.f.ir-no-opt.ll").write_text("; ir")
    document = open_document(profile)
    assert [(s.name, s.id, len(s.snapshots)) for s in document.sequences] == [("f", 3, 2), ("g", 9, 2)]
    assert document.main_sequence.recorded is not None
    assert document.main_sequence.recorded.program_id == 4
    assert all(document.read_module(s.snapshots[-1]).instruction_count == 2 for s in document.sequences)
    assert [side.file for side in document.side_files[document.sequences[0]]] == ["module_0003.f.ir-no-opt.ll"]
    found = document.read_profile(document.main_sequence)
    assert found is not None
    assert document.program_of(document.main_sequence, found) == 4


def test_a_dump_of_something_else_beside_a_profile(tmp_path: Path) -> None:
    profile = write_profile(tmp_path / "box.xplane.pb", {3: "f"})
    write_dump(tmp_path, {3: "g"})
    document = open_document(profile)
    assert [(s.name, len(s.snapshots)) for s in document.sequences] == [("f", 1)]
    # Opened as a folder, both are there.
    assert [s.name for s in open_document(tmp_path).sequences] == ["f", "g"]


def test_a_dump_of_another_compilation_is_not_joined(tmp_path: Path) -> None:
    profile = write_profile(tmp_path / "logs/plugins/profile/r/box.xplane.pb", {3: "f", 5: "g"}, without=(5,))
    write_dump(tmp_path / "other", {3: "f", 5: "g"}, op="fusion.1")
    for opened in (profile, tmp_path / "logs"):
        assert [len(s.snapshots) for s in open_document(opened).sequences] == [1, 1]
    # In one folder too, the two are told apart.
    assert [(s.name, len(s.snapshots)) for s in open_document(tmp_path).sequences] == [
        *(("f", 1), ("g", 1)),
        *(("f", 2), ("g", 2)),
    ]
    # Of two dumps it is the right one.
    write_dump(tmp_path / "right", {3: "f", 5: "g"})
    f, g, *others = open_document(tmp_path).sequences
    assert {f.snapshots[0].file.split("/")[0], g.snapshots[0].file.split("/")[0]} == {"right"}
    assert len(others) == 2


def test_a_dump_that_does_not_reach_the_end(tmp_path: Path) -> None:
    write_profile(tmp_path / "logs/box.xplane.pb", {3: "f"})
    for file in write_dump(tmp_path / "dump", {3: "f"}).glob("*after*"):
        file.unlink()
    # Whether it is the same cannot be told: it is joined where somebody put the two together.
    assert [len(s.snapshots) for s in open_document(tmp_path / "logs").sequences] == [1]
    document = open_document(tmp_path)
    (joined,) = document.sequences
    assert [snapshot.label for snapshot in joined.snapshots] == ["before optimizations", "as it ran"]
    assert [snapshot.index for snapshot in joined.snapshots] == [0, 1]
    # The module that ran is the profile's, and the kernels are its instructions.
    profile = document.read_profile(joined)
    assert profile is not None
    assert document.program_of(joined, profile) == 3
    table = kernel_table(profile, 3, document.read_module(joined.snapshots[-1]))
    assert ([kernel.name for kernel in table.kernels], table.unmatched) == (["dot.1"], 0)
    assert document.side_files == {}


def test_a_dump_that_does_not_reach_the_end_beside_a_profile_without_modules(tmp_path: Path) -> None:
    write_profile(tmp_path / "box.xplane.pb", {3: "f"}, without=(3,))
    for file in write_dump(tmp_path, {3: "f"}).glob("*after*"):
        file.unlink()
    (joined,) = open_document(tmp_path).sequences
    assert [snapshot.label for snapshot in joined.snapshots] == ["before optimizations"]


def test_a_dump_whose_end_is_damaged_ends_in_the_module_of_the_profile(tmp_path: Path) -> None:
    write_profile(tmp_path / "box.xplane.pb", {3: "f"})
    for file in write_dump(tmp_path, {3: "f"}).glob("*after*"):
        file.write_bytes(b"")
    (joined,) = open_document(tmp_path).sequences
    assert [snapshot.label for snapshot in joined.snapshots] == [
        "before optimizations",
        "after optimizations",
        "as it ran",
    ]


def test_a_real_dump_beside_a_real_profile(matmul_bundle: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(matmul_bundle) as bundle:
        bundle.extractall(tmp_path, [name for name in bundle.namelist() if name.startswith("dump/")])
        (tmp_path / "box.xplane.pb").write_bytes(bundle.read(RUN_PROFILE))
    document = open_document(tmp_path / "box.xplane.pb")
    main = document.main_sequence
    assert len(main.snapshots) > 10
    profile = document.read_profile(main)
    assert profile is not None
    program = document.program_of(main, profile)
    assert program is not None
    assert kernel_table(profile, program, document.read_module(main.snapshots[-1])).unmatched == 0


def test_a_damaged_profile_does_not_hinder_the_dump(tmp_path: Path) -> None:
    write_dump(tmp_path, {3: "f"})
    (tmp_path / "box.xplane.pb").write_bytes(b"\xef\xbf\xbd" * 40)
    document = open_document(tmp_path)
    assert [s.name for s in document.sequences] == ["cannot be read", "f"]
    assert document.main_sequence.name == "f"
    with pytest.raises(XlavizError, match=r"^box.xplane.pb is not a profile, or is cut short"):
        document.read_module(document.sequences[0].snapshots[0])
