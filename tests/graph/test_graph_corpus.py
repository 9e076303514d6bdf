"""Large modules of real programs: a page each, no box in a circle, whatever is open."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from helpers.modules import has_circle

from xlaviz.graph import hubs
from xlaviz.graph.build import GraphOptions, all_open, build_graph
from xlaviz.graph.default_view import PAGE, default_view
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.read import read_hlo

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
FILES = (
    "jax_2022_before/module_0698.jit__lambda_.256.before_optimizations.txt",
    "neuron_pytorch_xla/llama2_dp1_tp1_pp1.hlo.txt",
    "xla_benchmarks/dlrm_keras_jax_f32_train_step.hlo",
    "xla_benchmarks/resnet50_keras_jax_f32.hlo",
    "xla_benchmarks/jax.issue.33666.linx.slow_0428.module_0006.hlo",
    "xla_benchmarks/gemma3_1b_flax_call.hlo",
    "xla_benchmarks/hlo_mixtral_8x7b_bf16_1x8.hlo",
)
pytestmark = pytest.mark.skipif(not CORPUS.exists(), reason=f"needs the HLO corpus at {CORPUS}")


@lru_cache(maxsize=2)
def module_of_file(name: str) -> HloModule:
    return read_hlo((CORPUS / name).read_bytes(), file=name)[0]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("fold_repeats", [False, True])
def test_the_first_picture_is_a_page(name: str, fold_repeats: bool) -> None:
    module = module_of_file(name)
    options = default_view(module)
    graph = build_graph(module, replace(options, fold_repeats=fold_repeats))
    assert options.clusters == "scopes"
    assert graph.box_count <= PAGE[1]
    assert fold_repeats or graph.box_count >= PAGE[0]
    assert not has_circle(graph)


@pytest.mark.parametrize("name", FILES)
def test_no_choice_of_open_clusters_shows_a_circle(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "MAX_DRAWN_USERS", 10**6)
    monkeypatch.setattr(hubs, "MAX_DRAWN_OPERANDS", 10**6)
    module = module_of_file(name)
    everything = sorted(all_open(module, clusters="scopes"))
    outer = frozenset(each for each in everything if each.startswith("scope:") and each.count("/") < 2)
    chance = random.Random(name)
    for share in (0.0, 0.2, 0.6):
        opened = outer | set(chance.sample(everything, int(share * len(everything))))
        assert not has_circle(build_graph(module, GraphOptions(open=opened, clusters="scopes")))


def test_layers_without_names_are_found_by_their_repetition() -> None:
    """Mixtral has 32 layers and no op_name."""
    module = module_of_file(FILES[-1])
    graph = build_graph(module, default_view(module))
    assert "▾ 32 repeated blocks" in [node.title for node in graph.nodes]
