"""Folders and single files as documents."""

from __future__ import annotations

import gzip
import os
import zipfile
from pathlib import Path

import pytest

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.document import Document, open_document

TEXT = "HloModule {name}\n\nENTRY main {{ x = f32[] parameter(0)\n ROOT y = f32[] negate(x) }}\n"


def refused(path: Path) -> str:
    with pytest.raises(XlavizError) as caught:
        open_document(path)
    assert caught.value.exit_status == 2
    assert "\n" not in str(caught.value)
    return str(caught.value)


def names(document: Document) -> list[str]:
    return [document.read_module(sequence.snapshots[0]).name for sequence in document.sequences]


@pytest.fixture
def dump_folder(matmul_bundle: Path, tmp_path: Path) -> Path:
    """The bundle's dump as XLA leaves it."""
    with zipfile.ZipFile(matmul_bundle) as bundle:
        bundle.extractall(tmp_path, [name for name in bundle.namelist() if name.startswith("dump/")])
    return tmp_path / "dump"


def test_a_dump_folder(dump_folder: Path) -> None:
    (dump_folder / "module_0000.f.debug_options").write_text("")
    (dump_folder / "module_0003.later.before_optimizations.hlo.pb").mkdir()
    document = open_document(dump_folder)
    (sequence,) = document.sequences
    assert len(sequence.snapshots) == 26
    assert document.manifest == {}
    assert document.read_module(sequence.snapshots[0]).instruction_count > 0


def test_the_largest_module_of_a_folder_is_the_main_one(dump_folder: Path) -> None:
    (dump_folder / "module_0001.g.before_optimizations.txt").write_text(TEXT.format(name="g"))
    document = open_document(dump_folder)
    assert [len(sequence.snapshots) for sequence in document.sequences] == [26, 1]
    assert document.main_sequence.id == 0


def test_a_snapshot_that_is_lost_shows_as_a_gap(dump_folder: Path) -> None:
    next(dump_folder.glob("*.0005.*")).unlink()
    (gap,) = open_document(dump_folder).main_sequence.gaps
    assert (gap.first_number, gap.last_number, gap.before_index) == (5, 5, 6)


@pytest.mark.parametrize("ending", ["txt", "hlo", "hlo.pb.gz"])
def test_dumps_of_every_form_are_read(ending: str, dump_folder: Path) -> None:
    proto = next(dump_folder.glob("*before_optimizations.hlo.pb")).read_bytes()
    for file in dump_folder.iterdir():
        file.unlink()
    data = gzip.compress(proto) if ending.endswith("gz") else TEXT.format(name="f").encode()
    (dump_folder / f"module_0000.f.before_optimizations.{ending}").write_bytes(data)
    document = open_document(dump_folder)
    assert document.read_module(document.main_sequence.snapshots[0]).instruction_count >= 2


def test_an_empty_folder(tmp_path: Path) -> None:
    assert refused(tmp_path).startswith(f"{tmp_path} holds no HLO dump. Make one with XLA_FLAGS=")


def test_a_folder_of_other_things(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("module_0000")
    (tmp_path / "module_0000.f.before_optimizations.hlo.pb").mkdir()
    assert "holds no HLO dump" in refused(tmp_path)


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    assert refused(tmp_path / "no.xlaviz") == f"{tmp_path}/no.xlaviz does not exist."
    (tmp_path / "file").write_text("")
    assert "does not exist" in refused(tmp_path / "file" / "below.xlaviz")


def test_names_no_system_takes(tmp_path: Path) -> None:
    assert "cannot be read: File name too long" in refused(tmp_path / ("x" * 300))
    assert "is no file name" in refused(Path("a\0b"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.hlo")
    assert "is neither a file nor a folder" in refused(tmp_path / "pipe.hlo")


@pytest.mark.parametrize("name", ["secret.xlaviz", "secret.hlo.pb", "folder"])
def test_what_may_not_be_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the refusal is played."""
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"PK")

    def denied(*args: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    for method in ("open", "iterdir", "read_bytes"):
        monkeypatch.setattr(Path, method, denied)
    monkeypatch.setattr(os, "scandir", denied)
    monkeypatch.setattr(zipfile.io, "open", denied)  # type: ignore[attr-defined]
    assert "cannot be read: Permission denied." in refused(path)


def test_a_file_of_one_module(tmp_path: Path) -> None:
    path = tmp_path / "some.hlo"
    path.write_text(TEXT.format(name="alone"))
    document = open_document(path)
    assert names(document) == ["alone"]
    assert document.main_sequence.snapshots[0].label == "some.hlo"


def test_a_file_of_several_modules_shows_each(tmp_path: Path) -> None:
    path = tmp_path / "some.hlo"
    path.write_text("".join(TEXT.format(name=name) for name in ("one", "two", "three")))
    document = open_document(path)
    assert names(document) == ["one", "two", "three"]
    assert [sequence.id for sequence in document.sequences] == [0, 1, 2]
    assert len({sequence.snapshots[0].file for sequence in document.sequences}) == 3
    path.write_text(TEXT.format(name="one"))
    with pytest.raises(XlavizError, match="has changed since it was opened"):
        document.read_module(document.sequences[2].snapshots[0])


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.hlo", b""),
        ("a.hlo.pb", b""),
        ("a.hlo.pb", b"\x0a\x05hello\x00\x00"),
        ("a.txt", b"Dear Sir or Madam,\n"),
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(100)),
        ("a.gz", b"\x1f\x8b\x08 no gzip"),
        ("a.py", b"import os\n"),
    ],
)
def test_a_file_that_is_no_hlo_is_named(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    assert str(tmp_path / name) in refused(tmp_path / name)


def test_a_snapshot_that_went_away(dump_folder: Path) -> None:
    document = open_document(dump_folder)
    snapshot = document.main_sequence.snapshots[0]
    (dump_folder / snapshot.file).unlink()
    with pytest.raises(XlavizError, match=r"before_optimizations.hlo.pb cannot be read: No such file"):
        document.read_module(snapshot)
