"""A profile as a document: its modules are those that ran."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.document import RUN_PROFILE, open_document


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


def test_one_without_xla_says_so(shared: Path) -> None:
    with pytest.raises(XlavizError, match="holds no event of an XLA op"):
        open_document(shared / "profiles" / "cuda_gpu_multi_worker_tf_2020.xplane.pb")
