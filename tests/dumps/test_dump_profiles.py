"""A profile as a document: its modules are those that ran."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from helpers.recorded import COMPUTATIONS, write_profile
from profile_builder import SpaceBuilder, hlo_module

from xlaviz.base.errors import XlavizError
from xlaviz.dumps import profile_files
from xlaviz.dumps.document import RUN_PROFILE, open_document
from xlaviz.dumps.profile_files import READ_AT_ONCE_BYTES
from xlaviz.profile.modules import embedded_programs
from xlaviz.profile.profile import read_profile
from xlaviz.profile.wire import FileBytes, fields
from xlaviz.profile.xplane import find_planes


@pytest.fixture
def profile(matmul_bundle: Path, tmp_path: Path) -> Path:
    with zipfile.ZipFile(matmul_bundle) as bundle:
        data = bundle.read(RUN_PROFILE)
    path = tmp_path / "no-matter-what-it-is-called"
    path.write_bytes(data)
    return path


def test_its_module_is_the_one_that_was_dumped(profile: Path, matmul_bundle: Path) -> None:
    (sequence,) = open_document(profile).sequences
    dumped = open_document(matmul_bundle)
    assert (sequence.name, sequence.id) == (dumped.main_sequence.name, dumped.main_sequence.id)
    ran = open_document(profile).read_module(sequence.snapshots[0])
    assert ran == dumped.read_module(dumped.main_sequence.snapshots[-1])
    dumped.close()


def test_its_times_are_there(profile: Path) -> None:
    document = open_document(profile)
    found = document.read_profile(document.main_sequence)
    assert found is not None
    assert found.events


def test_cut_short(profile: Path) -> None:
    profile.write_bytes(profile.read_bytes()[:-100])
    with pytest.raises(XlavizError, match="is not a profile, or is cut short"):
        open_document(profile)


@pytest.mark.parametrize(
    ("name", "modules"),
    [("jax_te_fused_attn.xplane.pb", 1), ("rocm_mi300_jax08_gemm.xplane.pb", 16), ("tpu_inference_2.xplane.pb", 3)],
)
def test_real_ones(shared: Path, name: str, modules: int) -> None:
    document = open_document(shared / "profiles" / name)
    assert len(document.sequences) == modules
    assert all(document.read_module(one.snapshots[0]).instruction_count for one in document.sequences)


def test_what_a_real_one_carries_is_found_without_reading_it(shared: Path) -> None:
    for path in (shared / "profiles").glob("*.xplane.pb"):
        profile = read_profile(path.read_bytes(), file=path.name)
        with path.open("rb") as stream:
            embedded = embedded_programs(find_planes(FileBytes(stream), file=path.name))
        assert {id_: embedded[id_].name for id_ in profile.programs} == dict(profile.programs)


@pytest.fixture
def logs(shared: Path, tmp_path: Path) -> Path:
    """Two runs of two hosts, the newer one's first host damaged."""
    for place, name in (
        ("2024_01_02_03_04_05/a", "tpu_inference_2"),
        ("2024_01_02_03_04_05/b", "cuda_gpu_multi_worker_tf_2020"),
        ("2024_05_06_07_08_09/b", "rocm_mi300_jax08_elementwise"),
    ):
        target = tmp_path / f"plugins/profile/{place}.xplane.pb"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((shared / "profiles" / f"{name}.xplane.pb").read_bytes())
    mangled = (shared / "profiles/tpu_inference_2.xplane.pb").read_bytes().decode("utf-8", "replace").encode()
    (tmp_path / "plugins/profile/2024_05_06_07_08_09/a.xplane.pb").write_bytes(mangled)
    return tmp_path


@pytest.mark.parametrize("read_at_once", [0, READ_AT_ONCE_BYTES])
def test_a_log_folder(logs: Path, read_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_files, "READ_AT_ONCE_BYTES", read_at_once)
    document = open_document(logs)
    counts = Counter((s.recorded.run[:7], s.recorded.host) for s in document.sequences if s.recorded)
    carried = {("2024_05", "a"): 1, ("2024_05", "b"): 16, ("2024_01", "a"): 4, ("2024_01", "b"): 1}
    ran = carried | {("2024_05", "b"): 11, ("2024_01", "a"): 3}
    assert counts == (ran if read_at_once else carried)
    assert list(counts) == list(ran)
    assert document.main_sequence.name == "jit_multiply"
    first, last = document.sequences[0], document.sequences[-1]
    with pytest.raises(XlavizError, match=r"a\.xplane\.pb is not a profile, or is cut short"):
        document.read_module(first.snapshots[0])
    with pytest.raises(XlavizError, match=r"no events of a program.* It has 22 threads of the host, and /device:GPU:1"):
        document.read_module(last.snapshots[0])
    assert all(document.read_module(s.snapshots[0]).instruction_count for s in document.sequences[1:-1])
    assert "no events of a program compiled by XLA" in document.why_no_times(last)


def test_a_program_that_did_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_profile(tmp_path / "box.xplane.pb", {3: "f"}, idle={5: "g"})
    assert [s.name for s in open_document(path).sequences] == ["f"]
    monkeypatch.setattr(profile_files, "READ_AT_ONCE_BYTES", 0)
    document = open_document(path)
    f, g = document.sequences
    assert document.main_sequence == f
    assert document.read_module(g.snapshots[0]).name == "g"
    profile = document.read_profile(g)
    assert profile is not None
    assert (document.program_of(f, profile), document.program_of(g, profile)) == (3, None)
    assert (
        document.why_no_times(g)
        == "box.xplane.pb (host box) has no events of g: it did not run while that was recorded."
    )


@pytest.mark.parametrize("read_at_once", [0, READ_AT_ONCE_BYTES])
def test_one_whose_modules_are_missing(tmp_path: Path, read_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_files, "READ_AT_ONCE_BYTES", read_at_once)
    document = open_document(write_profile(tmp_path / "box.xplane.pb", {3: "f", 5: "g"}, without=(3, 5)))
    assert [s.name for s in document.sequences] == ["f", "g"]
    assert document.main_sequence.name == "g"
    with pytest.raises(XlavizError) as caught:
        document.read_module(document.main_sequence.snapshots[0])
    assert caught.value.message.startswith("g ran 1 time while ")
    assert "times are shown, no graph" in caught.value.message
    assert caught.value.hint == "A dump folder beside it would bring it."
    profile = document.read_profile(document.main_sequence)
    assert profile is not None
    assert any(event.program_id == 5 for event in profile.events)


def test_large_ones_without_modules_among_others_say_what_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_files, "READ_AT_ONCE_BYTES", 0)
    for host in ("a", "b"):
        write_profile(tmp_path / f"{host}.xplane.pb", {3: "f", 5: "g"}, without=(3, 5))
    document = open_document(tmp_path)
    assert [s.name for s in document.sequences] == ["programs without a module"] * 2
    with pytest.raises(XlavizError, match=r"^a.xplane.pb holds no module of what ran \(f, g\)\. Open it by itself"):
        document.read_module(document.sequences[0].snapshots[0])


def test_one_with_modules_and_without_events(tmp_path: Path) -> None:
    document = open_document(write_profile(tmp_path / "box.xplane.pb", {}, idle={3: "f"}))
    assert [s.name for s in document.sequences] == ["f"]
    assert document.read_module(document.main_sequence.snapshots[0]).name == "f"


def test_one_with_only_derived_lines(tmp_path: Path) -> None:
    builder = SpaceBuilder()
    gpu = builder.space.planes.add(name="/device:GPU:0")
    for name in ("Steps", "XLA Modules", "XLA Ops"):
        builder.event("jit_f", 0, 10, lane=name, plane=gpu)
    path = tmp_path / "box.xplane.pb"
    path.write_bytes(builder.serialized())
    document = open_document(path)
    with pytest.raises(XlavizError) as caught:
        document.read_module(document.main_sequence.snapshots[0])
    assert caught.value.hint == (
        "It has /device:GPU:0 with the lines Steps, XLA Modules, XLA Ops, and no line that these were derived from."
    )


def test_one_with_derived_ops_that_could_be_of_several_programs(tmp_path: Path) -> None:
    builder = SpaceBuilder()
    for id_ in (3, 5):
        builder.embed(hlo_module(COMPUTATIONS, name="f"), program_id=id_)
    builder.event("dot.1", 0, 10, lane="XLA Ops", plane=builder.space.planes.add(name="/device:GPU:0"))
    path = tmp_path / "box.xplane.pb"
    path.write_bytes(builder.serialized())
    document = open_document(path)
    assert [(s.name, s.id) for s in document.sequences] == [("f", 3), ("f", 5)]
    assert document.why_no_times(document.main_sequence) == (
        f"{path} holds no kernels, only lines xprof derived from them, with 1 event of XLA ops, "
        "and nothing in it tells which program these are of."
    )
    assert document.read_module(document.main_sequence.snapshots[0]).name == "f"


def test_one_with_modules_alone_does_not_say_that_they_did_not_run(tmp_path: Path) -> None:
    document = open_document(write_profile(tmp_path / "box.xplane.pb", {}, idle={3: "f"}))
    assert "the TensorFlow that wrote it is older than 2.18" in document.why_no_times(document.main_sequence)


@pytest.mark.parametrize("name", ["box.xplane.pb.gz", "no-matter-what-it-is-called"])
def test_a_compressed_one(tmp_path: Path, name: str) -> None:
    packed = gzip.compress(write_profile(tmp_path / "box.xplane.pb", {3: "f"}).read_bytes())
    path = tmp_path / "packed" / name
    path.parent.mkdir()
    path.write_bytes(packed)
    document = open_document(path)
    main = document.main_sequence
    assert document.read_module(main.snapshots[0]).name == "f"
    profile = document.read_profile(main)
    assert profile is not None
    assert document.program_of(main, profile) == 3
    path.write_bytes(packed[:-20])
    with pytest.raises(XlavizError, match="is a gzip file that is cut short"):
        open_document(path)


@pytest.mark.parametrize("read_at_once", [0, READ_AT_ONCE_BYTES])
def test_compressed_ones_in_a_log_folder(tmp_path: Path, read_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_files, "READ_AT_ONCE_BYTES", read_at_once)
    logs = tmp_path / "logs"  # what lies beside it is looked at
    for host in ("a", "b"):
        path = write_profile(logs / f"plugins/profile/r/{host}.xplane.pb", {3: "f", 5: "g"})
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    document = open_document(logs)
    assert [(s.name, s.recorded and s.recorded.host) for s in document.sequences] == [
        *(("f", "a"), ("g", "a")),
        *(("f", "b"), ("g", "b")),
    ]
    assert document.main_sequence.name == "g"
    assert all(document.read_module(s.snapshots[0]).instruction_count == 2 for s in document.sequences)
    assert document.side_files == {}


def test_one_that_unpacks_to_too_much(tmp_path: Path) -> None:
    path = tmp_path / "box.xplane.pb.gz"
    path.write_bytes(gzip.compress(SpaceBuilder().serialized() + b"\0" * (4 << 20)))
    with pytest.raises(XlavizError, match="MiB and is refused"):
        open_document(path)


def test_one_with_no_events(tmp_path: Path) -> None:
    path = tmp_path / "box.xplane.pb"
    path.write_bytes(SpaceBuilder().serialized())
    document = open_document(path)
    with pytest.raises(XlavizError, match="It has no events at all"):
        document.read_module(document.main_sequence.snapshots[0])


@pytest.mark.parametrize("data", [b"", b"\xef\xbf\xbd" * 100, b"\x0a\xff\xff\xff\xff\x7f", b"\x0a\x05\x12\x03abc"])
@pytest.mark.parametrize("read_at_once", [-1, READ_AT_ONCE_BYTES])
def test_what_is_no_profile(tmp_path: Path, data: bytes, read_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_files, "READ_AT_ONCE_BYTES", read_at_once)
    path = tmp_path / "box.xplane.pb"
    path.write_bytes(data)
    for opened in (path, tmp_path):
        with pytest.raises(XlavizError, match=r"box\.xplane\.pb is not a profile"):
            open_document(opened)


def test_any_cut_is_noticed_without_reading_it(tmp_path: Path) -> None:
    path = write_profile(tmp_path / "box.xplane.pb", {3: "f"})
    data = path.read_bytes()
    # Cut between two planes, or before the host's name, it is whole as far as anyone can tell.
    ends = {end for number, _, _, end in fields(data, 0, len(data)) if number == 1}
    assert len(ends) == 2
    for length in sorted(set(range(len(data))) - ends):
        with pytest.raises(XlavizError, match=r"^cut is not a profile"):
            find_planes(FileBytes(io.BytesIO(data[:length])), file="cut")
