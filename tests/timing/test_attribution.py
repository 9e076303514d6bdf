"""From a kernel's time to its instructions, to the ops, to what stood before."""

from __future__ import annotations

import pytest
from helpers.modules import module_of

from xlaviz.hlo.costs import MOVING_WORK, TRANSCENDENTAL_WORK
from xlaviz.hlo.op_names import op_names
from xlaviz.lineage.sequence import Lineage
from xlaviz.profile.kernels import Kernel
from xlaviz.timing.attribution import member_shares, nameless_share, op_shares, origin_ops, times_before

MODULE = module_of("""
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b), metadata={op_name="net/never"} }

inner { i = f32[8] parameter(0)
  ROOT tanh.1 = f32[8] tanh(i), metadata={op_name="net/tanh"} }

outer { p = f32[8] parameter(0)
  q = f32[8] parameter(1)
  mul.2 = f32[8] multiply(p, q), metadata={op_name="net/mul"}
  nested.3 = f32[8] fusion(mul.2), kind=kLoop, calls=inner
  zero = f32[] constant(0)
  reduce.4 = f32[] reduce(nested.3, zero), dimensions={0}, to_apply=add
  ROOT spread.5 = f32[8] broadcast(reduce.4), dimensions={}, metadata={op_name="net/one;net/two"} }

moves { m = f32[8] parameter(0)
  ROOT view = f32[8] bitcast(m), metadata={op_name="net/view"} }

body { state = f32[8] parameter(0)
  ROOT negate.6 = f32[8] negate(state), metadata={op_name="net/while/body/neg"} }

condition { c = f32[8] parameter(0)
  ROOT go = pred[] constant(true) }

ENTRY main { x = f32[8] parameter(0), metadata={op_name="XLA_Args"}
  y = f32[8] parameter(1)
  fusion.7 = f32[8] fusion(x, y), kind=kLoop, calls=outer
  copy.8 = f32[8] copy(fusion.7)
  copy.9 = f32[8] copy(copy.8)
  plain.10 = f32[8] add(copy.9, copy.9), metadata={op_name="net/sum;StatefulPartitionedCall/net/sum"}
  loop.11 = f32[8] while(plain.10), condition=condition, body=body, metadata={op_name="net/while"}
  moved.12 = f32[8] fusion(loop.11), kind=kLoop, calls=moves
  ROOT out = (f32[8]) tuple(moved.12) }

alone { only = f32[8] parameter(0)
  ROOT lost.13 = f32[8] copy(only) }
""")


def kernel(name: str, self_per_run_us: float = 10.0) -> Kernel:
    return Kernel(
        name, "", 1, 10.0, 10.0, 10.0, 10.0, 10.0, 0.1, True, False, self_per_run_us=self_per_run_us,
        total_per_run_us=10.0,
    )  # fmt: skip


def members(*names: str) -> dict[str, dict[str, float]]:
    return {name: dict(parts) for name, parts in member_shares(MODULE, map(kernel, names)).items()}


def ops(name: str) -> dict[str, float]:
    return dict(op_shares(MODULE, members(name))[name])


WORK = {
    "mul.2": 8.0,
    "tanh.1": 8 * TRANSCENDENTAL_WORK,
    "reduce.4": 7.0,
    "spread.5": 8 * MOVING_WORK,
}


def test_a_fusion_is_divided_among_its_body_by_the_estimated_work() -> None:
    whole = sum(WORK.values())
    assert members("fusion.7")["fusion.7"] == pytest.approx({name: work / whole for name, work in WORK.items()})


@pytest.mark.parametrize("name", ["plain.10", "loop.11", "copy.8"])
def test_what_is_no_fusion_is_its_own_part(name: str) -> None:
    assert members(name) == {name: {name: 1.0}}


def test_a_fusion_that_does_no_work_is_its_own_part() -> None:
    assert members("moved.12") == {"moved.12": {"moved.12": 1.0}}


def test_a_kernel_that_is_no_instruction_has_no_parts() -> None:
    assert members("ghost") == {}


def test_a_fusion_that_calls_itself_is_of_a_damaged_file_and_ends() -> None:
    module = module_of("""
a { p = f32[8] parameter(0)
  neg = f32[8] negate(p)
  ROOT f.1 = f32[8] fusion(neg), kind=kLoop, calls=a }
ENTRY main { x = f32[8] parameter(0)
  ROOT f.2 = f32[8] fusion(x), kind=kLoop, calls=a }
""")
    shares = member_shares(module, [kernel("f.2")])
    assert shares == {"f.2": {"neg": 1.0}}
    assert op_shares(module, shares) == {"f.2": {}}


def test_an_instruction_without_op_gives_its_part_to_the_others_and_two_ops_share_one() -> None:
    known = sum(work for name, work in WORK.items() if name != "reduce.4")
    assert ops("fusion.7") == pytest.approx(
        {
            "net/mul": WORK["mul.2"] / known,
            "net/tanh": WORK["tanh.1"] / known,
            "net/one": WORK["spread.5"] / known / 2,
            "net/two": WORK["spread.5"] / known / 2,
        }
    )


def test_an_op_that_is_named_twice_is_one() -> None:
    assert ops("plain.10") == {"StatefulPartitionedCall/net/sum": 1.0}


def test_a_loop_is_its_own_op_not_those_of_its_body() -> None:
    assert ops("loop.11") == {"net/while": 1.0}
    assert ops("negate.6") == {"net/while/body/neg": 1.0}


def test_a_fusion_without_work_takes_the_op_inside() -> None:
    assert ops("moved.12") == {"net/view": 1.0}


def test_a_kernel_without_op_takes_the_nearest_ones() -> None:
    """A copy is made for its users, however many copies away; lost.14 has none and is made from a fusion."""
    assert ops("copy.9") == ops("copy.8") == {"StatefulPartitionedCall/net/sum": 1.0}


def test_a_kernel_that_leads_to_no_op_has_no_parts() -> None:
    assert ops("lost.13") == {}


@pytest.mark.parametrize("name", ["fusion.7", "copy.8", "copy.9", "plain.10", "loop.11", "moved.12", "negate.6"])
def test_the_parts_of_a_kernel_add_up(name: str) -> None:
    assert sum(ops(name).values()) == pytest.approx(1)
    assert sum(members(name)[name].values()) == pytest.approx(1)


def before(lineage: Lineage, parts: dict[str, dict[str, float]], **times_us: float) -> dict[str, float]:
    kernels = [kernel(name, time_us) for name, time_us in times_us.items()]
    return times_before(kernels, parts, lineage)


def test_a_part_is_given_to_its_origins_in_equal_shares() -> None:
    lineage = Lineage(origins={"m": frozenset({"one"}), "n": frozenset({"two", "three"})})
    found = before(lineage, {"f": {"m": 0.25, "n": 0.75}}, f=80.0)
    assert found == pytest.approx({"one": 20.0, "two": 30.0, "three": 30.0})


def test_what_a_pass_made_gives_its_part_to_the_others() -> None:
    lineage = Lineage(origins={"m": frozenset({"one"}), "n": frozenset({"two"})}, created_by={"new": "some-pass"})
    found = before(lineage, {"f": {"m": 0.2, "n": 0.3, "new": 0.5}}, f=100.0)
    assert found == pytest.approx({"one": 40.0, "two": 60.0})


def test_a_fusion_of_new_instructions_gives_to_all_that_went_into_it() -> None:
    lineage = Lineage(created_by={"new": "some-pass"}, fusion_origins={"f": frozenset({"one", "two"})})
    assert before(lineage, {"f": {"new": 1.0}}, f=10.0) == {"one": 5.0, "two": 5.0}


def test_a_kernel_of_which_no_part_is_known_gives_to_its_own_origins() -> None:
    lineage = Lineage(origins={"f": frozenset({"one"})}, created_by={"new": "some-pass"})
    assert before(lineage, {"f": {"new": 1.0}}, f=10.0) == {"one": 10.0}


def test_a_kernel_without_parts_is_its_own() -> None:
    assert before(Lineage(origins={"f": frozenset({"one"})}), {}, f=10.0) == {"one": 10.0}


def test_a_kernel_that_a_pass_made_leads_nowhere() -> None:
    assert before(Lineage(created_by={"f": "some-pass"}), {}, f=10.0) == {}


def test_an_instruction_of_several_kernels_gets_from_each_and_the_sum_is_that_of_the_kernels() -> None:
    lineage = Lineage(
        origins={"m": frozenset({"one"}), "n": frozenset({"one", "two"}), "g": frozenset({"two"})},
        created_by={"new": "some-pass"},
        fusion_origins={"h": frozenset({"two", "three"})},
    )
    found = before(lineage, {"f": {"m": 0.5, "n": 0.5}, "h": {"new": 1.0}}, f=40.0, g=7.0, h=6.0)
    assert found == pytest.approx({"one": 30.0, "two": 20.0, "three": 3.0})
    assert sum(found.values()) == pytest.approx(53.0)


BEFORE = module_of("""
ENTRY main { x = f32[8] parameter(0)
  random = f32[8] rng(x, x), distribution=rng_normal, metadata={op_name="net/Random"}
  soft = f32[8] exponential(x), metadata={op_name="net/Softmax"}
  ROOT out = f32[8] add(random, soft), metadata={op_name="net/Add"} }
""")
MADE = module_of("""
fused { p = f32[8] parameter(0)
  bits.1 = f32[8] negate(p)
  ROOT add.2 = f32[8] add(bits.1, p), metadata={op_name="net/Add"} }

ENTRY main { x = f32[8] parameter(0)
  window.3 = f32[8] exponential(x)
  fusion.4 = f32[8] fusion(window.3), kind=kLoop, calls=fused
  ROOT lost.5 = f32[8] copy(fusion.4) }
""")
MADE_OF = Lineage(
    origins={"bits.1": frozenset({"random"}), "add.2": frozenset({"out"}), "window.3": frozenset({"soft"})},
    fusion_origins={"fusion.4": frozenset({"random", "out"})},
)


def made(lineage: Lineage | None) -> dict[str, dict[str, float]]:
    kernels = [kernel(name, 10.0) for name in ("window.3", "fusion.4", "lost.5")]
    members = member_shares(MADE, kernels)
    if lineage is None:
        return {name: dict(parts) for name, parts in op_shares(MADE, members).items()}
    found = op_shares(MADE, members, origins=origin_ops(BEFORE, lineage, op_names))
    return {name: dict(parts) for name, parts in found.items()}


def test_what_a_pass_made_does_the_ops_it_was_made_from() -> None:
    found = made(MADE_OF)
    assert found["window.3"] == {"net/Softmax": 1.0}
    assert found["fusion.4"] == pytest.approx({"net/Random": 0.5, "net/Add": 0.5})


def test_without_a_lineage_the_neighbours_have_to_do() -> None:
    found = made(None)
    assert found["window.3"] == {"net/Add": 1.0}  # it is made for the fusion
    assert found["fusion.4"] == {"net/Add": 1.0}


def test_the_part_of_the_time_that_names_no_op() -> None:
    kernels = [kernel("window.3", 10.0), kernel("fusion.4", 30.0)]
    assert nameless_share(MADE, member_shares(MADE, kernels), kernels) == pytest.approx((10 + 15) / 40)
    assert nameless_share(MADE, {}, []) == 0.0
