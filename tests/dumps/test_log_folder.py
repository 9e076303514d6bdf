"""Finding profiles, and the dumps that lie beside them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from xlaviz.dumps.files import FolderFiles, SingleFile
from xlaviz.dumps.log_folder import MAX_FOLDERS, dump_folders, profile_at, profiles_in

OLD, NEW = "2024_01_02_03_04_05", "2024_01_03_00_00_00"
RUN = f"log/plugins/profile/{OLD}"
DUMPED = "module_0003.jit_f.before_optimizations.txt"


def touch(path: Path, modified_s: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    os.utime(path, (modified_s, modified_s))
    return path


def labels(folder: Path) -> list[tuple[str, str]]:
    return [(one.run, one.host) for one in profiles_in(FolderFiles(folder))]


def test_a_log_folder_has_the_newest_run_first_and_hosts_by_name(tmp_path: Path) -> None:
    for place in (f"{OLD}/b", f"{OLD}/a", f"{NEW}/b", f"{NEW}/a"):
        touch(tmp_path / f"log/plugins/profile/{place}.xplane.pb")
    touch(tmp_path / "log/events.out.tfevents.1")
    expected = [(NEW, "a"), (NEW, "b"), (OLD, "a"), (OLD, "b")]
    assert labels(tmp_path / "log") == expected
    assert labels(tmp_path / "log/plugins") == expected
    assert labels(tmp_path / "log/plugins/profile") == expected
    assert labels(tmp_path / "log/plugins/profile" / OLD) == expected[2:]


def test_compressed_profiles_are_found(tmp_path: Path) -> None:
    for name in ("b.xplane.pb", "a.xplane.pb.gz", "c.pb.gz"):
        touch(tmp_path / OLD / name)
    assert labels(tmp_path) == [(OLD, "a"), (OLD, "b")]


def test_log_folders_in_a_folder_are_named(tmp_path: Path) -> None:
    touch(tmp_path / f"train/plugins/profile/{OLD}/a.xplane.pb")
    touch(tmp_path / f"x/test/plugins/profile/{NEW}/a.xplane.pb")
    assert labels(tmp_path) == [(f"{NEW} in x/test", "a"), (f"{OLD} in train", "a")]


def test_runs_without_a_stamp_are_as_old_as_their_files(tmp_path: Path) -> None:
    touch(tmp_path / "first/a.xplane.pb", 2_000_000)
    touch(tmp_path / "last/a.xplane.pb", 3_000_000)
    touch(tmp_path / "b.xplane.pb", 1_000_000)
    assert labels(tmp_path) == [("last", "a"), ("first", "a"), ("", "b")]


def test_an_unpacked_capture_has_the_profile_of_its_run(tmp_path: Path) -> None:
    for name in ("run", "compile", "no_xla"):
        touch(tmp_path / f"profile/{name}.xplane.pb")
    assert labels(tmp_path) == [("profile", "run")]


def test_a_profile_by_itself(tmp_path: Path) -> None:
    run = touch(tmp_path / f"plugins/profile/{OLD}/a.xplane.pb")
    assert (profile_at(SingleFile(run)).run, profile_at(SingleFile(run)).host) == (OLD, "a")
    other = touch(tmp_path / "some/folder/a.xplane.pb")
    assert profile_at(SingleFile(other)).run == ""


@pytest.mark.parametrize(
    "dump", ["log", "log/dump", "dump", f"log/plugins/profile/{OLD}", f"log/plugins/profile/{OLD}/d"]
)
def test_a_dump_beside_a_run_of_a_log_folder(tmp_path: Path, dump: str) -> None:
    run = touch(tmp_path / f"log/plugins/profile/{OLD}/a.xplane.pb")
    touch(tmp_path / "log/other/notes.txt")
    touch(tmp_path / dump / DUMPED)
    assert list(dump_folders(run)) == [tmp_path / dump]
    assert list(dump_folders(run.parent)) == [tmp_path / dump]


def test_a_dump_beside_a_log_folder_and_beside_a_file(tmp_path: Path) -> None:
    touch(tmp_path / "dump" / DUMPED)
    log = touch(tmp_path / f"log/plugins/profile/{OLD}/a.xplane.pb").parents[3]
    assert list(dump_folders(log)) == [tmp_path / "dump"]
    assert list(dump_folders(touch(tmp_path / "a.xplane.pb"))) == [tmp_path / "dump"]
    assert list(dump_folders(touch(tmp_path / "elsewhere/a.xplane.pb"))) == []


def test_not_every_folder_of_many_is_looked_at(tmp_path: Path) -> None:
    profile = touch(tmp_path / "a.xplane.pb")
    for number in range(MAX_FOLDERS + 1):
        (tmp_path / f"{number:04}").mkdir()
    touch(tmp_path / f"{MAX_FOLDERS:04}" / DUMPED)
    assert list(dump_folders(profile)) == []


def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = touch(tmp_path / f"log/plugins/profile/{OLD}/a.xplane.pb")
    touch(tmp_path / "dump" / DUMPED)
    monkeypatch.chdir(run.parent)
    assert list(dump_folders(Path("a.xplane.pb"))) == [tmp_path / "dump"]
    assert profile_at(SingleFile(Path("a.xplane.pb"))).run == OLD
