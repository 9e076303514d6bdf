"""What fusions, loops, branches and calls cost, and how a fusion's time is divided."""

from __future__ import annotations

from xlaviz.hlo.costs import TRANSCENDENTAL_WORK, UNKNOWN, Cost, CostModel
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.text import read_hlo_text


def module_of(text: str) -> HloModule:
    (module,) = read_hlo_text(f"HloModule test\n\n{text}\n", file="test.txt")
    return module


FUSED = """
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }

body {
BODY
}

ENTRY e {
PARAMETERS
  ROOT r = RESULT fusion(OPERANDS), kind=kLoop, calls=body
}
"""


def fusion(result: str, *lines: str) -> HloModule:
    """A module of one fusion `r` whose body has the given lines; p0, p1... are its parameters."""
    shapes = [line.split(" = ")[1].split(" parameter")[0] for line in lines if "parameter(" in line]
    entry = "\n".join(f"  a{n} = {shape} parameter({n})" for n, shape in enumerate(shapes))
    text = FUSED.replace("BODY", "\n".join(lines)).replace("PARAMETERS", entry).replace("RESULT", result)
    return module_of(text.replace("OPERANDS", ", ".join(f"a{n}" for n in range(len(shapes)))))


def fusion_cost(result: str, *lines: str) -> Cost:
    found = CostModel(fusion(result, *lines)).cost("r")
    assert found is not None
    return found


def test_a_fusion_sums_its_body_and_moves_its_boundary() -> None:
    found = fusion_cost(
        "f32[4]",
        "p0 = f32[4,8] parameter(0)",
        "t = f32[4,8] tanh(p0)",
        "m = f32[4,8] multiply(t, p0)",
        "z = f32[] constant(0)",
        "ROOT s1 = f32[4] reduce(m, z), dimensions={1}, to_apply=add",
    )
    assert found == Cost(32 + 28, 32, 128 + 16)


def test_of_a_sliced_parameter_the_slice_is_read() -> None:
    lines = ["p0 = f32[100,8] parameter(0)", "s1 = f32[2,8] slice(p0), slice={[0:2], [0:8]}"]
    assert fusion_cost("f32[2,8]", *lines, "ROOT n = f32[2,8] negate(s1)").bytes_accessed == 64 + 64
    # Also through what is computed element by element before the slice is taken.
    through = ["p0 = f32[100,8] parameter(0)", "n = f32[100,8] negate(p0)"]
    last = "ROOT s1 = f32[2,8] slice(n), slice={[0:2], [0:8]}"
    assert fusion_cost("f32[2,8]", *through, last).bytes_accessed == 64 + 64


def test_two_slices_of_a_parameter_are_both_read_but_never_more_than_all() -> None:
    halves = [
        "p0 = f32[10] parameter(0)",
        "s1 = f32[3] slice(p0), slice={[0:3]}",
        "s2 = f32[3] slice(p0), slice={[7:10]}",
        "ROOT sum = f32[3] add(s1, s2)",
    ]
    assert fusion_cost("f32[3]", *halves).bytes_accessed == 12 + 24
    large = [line.replace("f32[3]", "f32[9]").replace("0:3", "0:9").replace("7:10", "1:10") for line in halves]
    assert fusion_cost("f32[9]", *large).bytes_accessed == 36 + 40


def test_a_parameter_read_by_two_elementwise_instructions_is_read_once() -> None:
    found = fusion_cost(
        "f32[8]",
        "p0 = f32[8] parameter(0)",
        "n = f32[8] negate(p0)",
        "e = f32[8] exponential(p0)",
        "ROOT sum = f32[8] add(n, e)",
    )
    assert found == Cost(16, 8, 64)


def test_an_update_in_place_moves_the_update_alone() -> None:
    lines = [
        "p0 = f32[100,8] parameter(0)",
        "p1 = f32[1,8] parameter(1)",
        "p2 = s32[] parameter(2)",
        "n = f32[1,8] negate(p1)",
    ]
    update = "dynamic-update-slice(p0, n, p2, p2)"
    assert fusion_cost("f32[100,8]", *lines, f"ROOT u = f32[100,8] {update}").bytes_accessed == 32 + 32 + 4
    together = [f"u = f32[100,8] {update}", "ROOT both = (f32[100,8], f32[1,8]) tuple(u, n)"]
    assert fusion_cost("(f32[100,8], f32[1,8])", *lines, *together).bytes_accessed == 2 * 32 + 32 + 4
    # What reads the updated array needs all of it but the updated part.
    read = [f"u = f32[100,8] {update}", "ROOT all = f32[100,8] negate(u)"]
    assert fusion_cost("f32[100,8]", *lines, *read).bytes_accessed == 3200 + (3200 - 32) + 32 + 4


def test_large_constants_are_read_small_ones_are_code() -> None:
    for size, read in ((8, 0), (9, 36)):
        values = ", ".join("1" for _ in range(size))
        found = fusion_cost(
            f"f32[{size}]",
            f"p0 = f32[{size}] parameter(0)",
            f"k = f32[{size}] constant({{{values}}})",
            f"ROOT sum = f32[{size}] add(p0, k)",
        )
        assert found.bytes_accessed == 8 * size + read


def test_of_a_tuple_parameter_the_parts_taken_are_read() -> None:
    found = fusion_cost(
        "f32[8]",
        "p0 = (f32[8], f32[100]) parameter(0)",
        "g = f32[8] get-tuple-element(p0), index=0",
        "ROOT n = f32[8] negate(g)",
    )
    assert found.bytes_accessed == 64


def test_a_parameter_nobody_needs_is_not_read() -> None:
    assert fusion_cost("f32[2]", "p0 = f32[8] parameter(0)", "ROOT k = f32[2] iota(), iota_dimension=0") == Cost(
        0, 0, 8
    )


def test_fusions_within_fusions() -> None:
    module = module_of(
        """inner { p = f32[100] parameter(0)
  s = f32[10] slice(p), slice={[0:10]}
  ROOT t = f32[10] tanh(s) }

outer { q = f32[100] parameter(0)
  f = f32[10] fusion(q), kind=kLoop, calls=inner
  ROOT n = f32[10] negate(f) }

ENTRY e { a = f32[100] parameter(0)
  ROOT r = f32[10] fusion(a), kind=kLoop, calls=outer }"""
    )
    assert CostModel(module).cost("r") == Cost(10, 10, 40 + 40)
    assert CostModel(module).cost("f") == Cost(0, 10, 40 + 40)


LOOP = """body { s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[8] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  w = f32[8] exponential(v)
  ROOT t = (s32[], f32[8]) tuple(j, w) }

condition { u = (s32[], f32[8]) parameter(0)
  k = s32[] get-tuple-element(u), index=0
  n = s32[] constant(10)
  ROOT less = pred[] compare(k, n), direction=LT }

ENTRY e { z = (s32[], f32[8]) parameter(0)
  ROOT r = (s32[], f32[8]) while(z), condition=condition, body=body%s }"""


def test_a_loop_costs_its_rounds_where_their_number_is_known() -> None:
    known = module_of(LOOP % ', backend_config={"known_trip_count":{"n":"10"}}')
    # The condition is asked once more than the body runs.
    assert CostModel(known).cost("r") == Cost(10 + 11, 80, 10 * (12 + 64) + 11 * 9)
    for config in ("", ', backend_config={"known_trip_count":{"n":"many"}}', ', backend_config="no json"'):
        assert CostModel(module_of(LOOP % config)).cost("r") == UNKNOWN


def test_branches_and_calls() -> None:
    module = module_of(
        """wide { p = f32[100] parameter(0)
  ROOT t = f32[100] tanh(p) }

deep { q = f32[100] parameter(0)
  m = f32[100] negate(q)
  ROOT n = f32[100] negate(m) }

ENTRY e { i = s32[] parameter(0)
  a = f32[100] parameter(1)
  c = f32[100] call(a), to_apply=deep
  ROOT r = f32[100] conditional(i, c, a), branch_computations={deep, wide} }"""
    )
    assert CostModel(module).cost("c") == Cost(200, 0, 1600)
    assert CostModel(module).cost("r") == Cost(200, 100, 1600)


def test_what_cannot_be_known_spreads_to_what_contains_it() -> None:
    module = module_of(
        """f { p = f32[100] parameter(0)
  ROOT t = f32[100] custom-call(p), custom_call_target="other" }

ENTRY e { a = f32[100] parameter(0)
  ROOT r = f32[100] call(a), to_apply=f }"""
    )
    assert CostModel(module).cost("r") == Cost(None, None, 800)
    assert CostModel(module).cost("nobody") is None


def test_a_computation_that_calls_itself_has_no_known_cost() -> None:
    module = module_of(
        "f { p = f32[4] parameter(0)\n  ROOT t = f32[4] call(p), to_apply=g }\n\n"
        "g { q = f32[4] parameter(0)\n  ROOT u = f32[4] call(q), to_apply=f }\n\n"
        "ENTRY e { a = f32[4] parameter(0)\n  ROOT r = f32[4] call(a), to_apply=f }"
    )
    assert CostModel(module).cost("r") == UNKNOWN


def test_work_divides_a_fusion_among_what_computes() -> None:
    module = fusion(
        "(f32[100], f32[100])",
        "p0 = f32[100] parameter(0)",
        "k = f32[] constant(2)",
        "b = f32[100] broadcast(k), dimensions={}",
        "m = f32[100] multiply(p0, b)",
        "h = f32[100] exponential(m)",
        "v = f32[100] bitcast(h)",
        "ROOT both = (f32[100], f32[100]) tuple(m, v)",
    )
    costs = CostModel(module)
    work = {i.name: costs.work(i) for i in module.by_name["body"].instructions}
    assert {name for name, value in work.items() if value == 0} == {"p0", "k", "v", "both"}
    assert work["h"] == TRANSCENDENTAL_WORK * work["m"] == 100 * TRANSCENDENTAL_WORK
    assert 0 < work["b"] < work["m"]
