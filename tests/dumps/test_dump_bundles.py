"""Bundles that are damaged, foreign or hostile: each one sentence, and nothing is unpacked."""

from __future__ import annotations

import json
import random
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from xlaviz.base.errors import XlavizError
from xlaviz.dumps import files
from xlaviz.dumps.document import RUN_PROFILE, open_document
from xlaviz.dumps.files import BundleFiles

MANIFEST: dict[str, Any] = {"format": "xlaviz-bundle", "version": 1, "module": {"name": "m", "id": 0}}
DUMP = "dump/module_0000.m.before_optimizations.hlo.pb"
Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a bundle of some members; `manifest` None leaves that out."""

    def write(members: dict[str, bytes], manifest: object = MANIFEST, name: str = "b.xlaviz") -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w") as bundle:
            if manifest is not None:
                text = manifest if isinstance(manifest, (str, bytes)) else json.dumps(manifest)
                bundle.writestr("manifest.json", text)
            for member, data in members.items():
                bundle.writestr(member, data)
        return path

    return write


def refused(path: Path) -> str:
    """The sentence with which `path` is refused."""
    with pytest.raises(XlavizError) as caught:
        open_document(path).close()
    assert caught.value.exit_status == 2
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_real_bundle(matmul_bundle: Path) -> None:
    with closing(open_document(matmul_bundle)) as document:
        (sequence,) = document.sequences
        assert document.main_sequence is sequence
        assert (sequence.id, sequence.backend, len(sequence.snapshots), sequence.gaps) == (0, "cpu", 26, ())
        assert sequence.name == document.manifest["module"]["name"]
        for snapshot in (sequence.snapshots[0], sequence.snapshots[-1]):
            module = document.read_module(snapshot)
            assert module.name == sequence.name
            assert {"dot"} <= {i.opcode for i in module.entry_computation.instructions}
        assert document.read_member(RUN_PROFILE)
        assert document.read_member("nothing") is None


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_cut_short(share: float, matmul_bundle: Path, tmp_path: Path) -> None:
    data = matmul_bundle.read_bytes()
    path = tmp_path / "cut.xlaviz"
    path.write_bytes(data[: int(len(data) * share)])
    assert "is not an xlaviz bundle, or is cut short. Capture it again." in refused(path)


@pytest.mark.parametrize("name", ["x.xlaviz", "x.zip"])
def test_bytes_that_are_no_zip(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"PK and then something else entirely")
    assert "is not an xlaviz bundle" in refused(path)


def test_a_zip_of_something_else(make: Make) -> None:
    assert "it has no manifest.json" in refused(make({"word/document.xml": b"<x/>"}, None, "letter.docx"))
    assert "is a zip file, but no xlaviz bundle." in refused(make({}, {"name": "a web extension"}))
    assert "is a zip file, but no xlaviz bundle." in refused(make({}, [1, 2]))


@pytest.mark.parametrize("text", ["{", "", b"\xff\xfe\x00", "[" * 100_000], ids=["cut", "empty", "binary", "deep"])
def test_a_manifest_that_is_not_json(text: object, make: Make) -> None:
    assert "has a manifest that is not JSON" in refused(make({DUMP: b""}, text))


@pytest.mark.parametrize("version", [2, 99, None, "1", 1.5])
def test_a_version_from_elsewhere(version: object, make: Make) -> None:
    sentence = refused(make({DUMP: b""}, MANIFEST | {"version": version}))
    assert sentence.endswith(f"is a bundle of version {version}; this xlaviz reads up to 1. Install a newer xlaviz.")


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("module", "m"),
        ("target", ["f"]),
        ("environment", 3),
        ("timings", None),
        ("lost_snapshots", {}),
        ("lost_snapshots", ["x"]),
        ("lost_snapshots", [{"file": "x"}]),
        ("lost_snapshots", [{"file": 1, "reason": "r"}]),
        ("target", {"args": 5}),
        ("target", {"args": [5]}),
    ],
)
def test_a_manifest_with_a_wrong_part(part: str, value: object, make: Make) -> None:
    assert f"has a manifest whose '{part}" in refused(make({DUMP: b""}, MANIFEST | {part: value}))


def test_a_bundle_without_a_dump(make: Make) -> None:
    assert "holds no HLO dump. Capture it again." in refused(make({"dump/notes.txt": b""}))


@pytest.mark.parametrize(
    "name",
    [
        "../escape.txt",
        "dump/../../escape.txt",
        "/etc/cron.d/x",
        "C:/autoexec.bat",
        "a\\..\\b",
        "dump/./x",
        "dump//x",
        "dump/\x1b[2Jx",
        "dump/a\nb",
        "..",
    ],
)
def test_members_with_unsafe_names(name: str, make: Make) -> None:
    sentence = refused(make({DUMP: b"", name: b"x"}))
    assert "holds a file with an unsafe name" in sentence
    assert "\x1b" not in sentence


def test_entries_of_folders_are_no_harm(make: Make) -> None:
    """Other programs that pack a bundle anew write them."""
    with closing(BundleFiles(make({"dump/": b"", "profile/deep/": b"", DUMP: b""}))) as bundle:
        assert bundle.names() == [DUMP, "manifest.json"]


def test_too_many_members(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_MEMBERS", 3)
    assert "would unpack to 4 files" in refused(make({DUMP: b"", "a": b"", "b": b""}))


def test_members_too_large_together(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_TOTAL_BYTES", 1000)
    assert "would unpack to" in refused(make({DUMP: b"x" * 600, "a": b"y" * 600}))


def declare(path: Path, member: str, size: int) -> None:
    """Have the zip's directory, and the member's own header, say that it unpacks to `size` bytes."""
    data = bytearray(path.read_bytes())
    for signature, name_at, size_at in ((b"PK\x03\x04", 30, 22), (b"PK\x01\x02", 46, 24)):
        position = -1
        while (position := data.find(signature, position + 1)) >= 0:
            if data[position + name_at :].startswith(member.encode()):
                struct.pack_into("<I", data, position + size_at, size)
    path.write_bytes(data)


def test_a_member_that_declares_too_much(make: Make) -> None:
    path = make({DUMP: b"x"})
    declare(path, DUMP, files.MAX_MEMBER_BYTES + 1)
    assert f"holds a file of {files.MAX_MEMBER_BYTES + 1} bytes" in refused(path)


def test_a_member_that_declares_too_little_is_not_unpacked_beyond(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlaviz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("manifest.json", json.dumps(MANIFEST))
        bundle.writestr(DUMP, b"0" * 10_000_000)
    declare(path, DUMP, 10)
    with closing(BundleFiles(path)) as bundle_files, pytest.raises(XlavizError, match="is damaged"):
        bundle_files.read(DUMP)


def test_a_damaged_member_is_named(matmul_bundle: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(matmul_bundle) as bundle:
        member = next(info for info in bundle.infolist() if "cpu_after_optimizations" in info.filename)
    data = bytearray(matmul_bundle.read_bytes())
    start = member.header_offset + 30 + len(member.filename) + 40
    data[start : start + 20] = bytes(20)
    path = tmp_path / "damaged.xlaviz"
    path.write_bytes(data)
    with closing(open_document(path)) as document, pytest.raises(XlavizError) as caught:
        document.read_module(document.main_sequence.snapshots[-1])
    assert str(caught.value).startswith(f"{member.filename} in {path} is damaged (")


def test_a_member_that_is_no_hlo_is_named(make: Make) -> None:
    with (
        closing(open_document(make({DUMP: b"\x00\x01\x02 no module"}))) as document,
        pytest.raises(XlavizError, match="before_optimizations"),
    ):
        document.read_module(document.main_sequence.snapshots[0])


def mutations(data: bytes, count: int) -> Iterator[bytes]:
    chance = random.Random(4)
    for _ in range(count):
        changed = bytearray(data)
        for _ in range(chance.choice((1, 3, 30))):
            place = chance.choice((len(data) - chance.randrange(3000) - 1, chance.randrange(len(data))))
            changed[place] = chance.randrange(256)
        yield bytes(changed)


def test_no_damage_at_all_gets_past_the_one_error(matmul_bundle: Path, tmp_path: Path) -> None:
    path = tmp_path / "mutant.xlaviz"
    refusals = 0
    for data in mutations(matmul_bundle.read_bytes(), 300):
        path.write_bytes(data)
        try:
            with closing(open_document(path)) as document:
                for snapshot in document.main_sequence.snapshots[::8]:
                    document.read_module(snapshot)
        except XlavizError:
            refusals += 1
    assert refusals > 30
