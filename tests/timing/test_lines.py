"""The user's lines with the times of the ops they made."""

from __future__ import annotations

import pytest
from helpers.modules import module_of
from helpers.timing_tables import kernel, table

from xlaviz.dumps.tracebacks import Frame, Tracebacks
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.text import read_hlo_text
from xlaviz.profile.tf_ops import TfOp, TfOps
from xlaviz.timing.attribution import op_shares
from xlaviz.timing.groups import by_op
from xlaviz.timing.lines import LineTime, LineTimes, Stacks, line_times, plain_name

MAIN, LAYER, STEP = Frame("main.py", 3, "train"), Frame("layers.py", 8, "call", "keras"), Frame("main.py", 9, "step")
STACKS = Tracebacks(
    {
        "net/MatMul": (LAYER, MAIN),
        "net/Relu": (LAYER, MAIN),
        "net/Sum": (MAIN,),
        "rec/Add": (STEP, STEP, MAIN),
        "while/MatMul": (LAYER, MAIN),
    }
)
TABLE = table(kernel("dot.1", 40.0), kernel("fusion.2", 20.0), kernel("copy.3", 10.0))
OPS = {"dot.1": {"net/MatMul": 1.0}, "fusion.2": {"net/Relu": 0.25, "net/Sum": 0.75}, "copy.3": {}}


def lines(found: LineTimes) -> dict[str, LineTime]:
    return {f"{line.file}:{line.line}": line for line in found.lines}


def times(**options: object) -> LineTimes:
    return line_times(TABLE, OPS, Stacks(STACKS), **options)  # type: ignore[arg-type]


def test_time_belongs_to_the_innermost_line_and_with_calls_to_those_above() -> None:
    found = lines(times())
    assert list(found) == ["layers.py:8", "main.py:3"]
    layer, main = found.values()
    assert (layer.xla_us, layer.with_calls_us) == (45.0, 45.0)
    assert (main.xla_us, main.with_calls_us) == (15.0, 60.0)
    assert (layer.share, main.share) == pytest.approx((0.45, 0.15))
    assert (layer.function, layer.folded) == ("call", "keras")


def test_a_line_names_its_kernels_and_ops_the_costliest_first() -> None:
    layer, main = lines(times()).values()
    assert (layer.kernels, layer.kernels_us) == (("dot.1", "fusion.2"), (40.0, 5.0))
    assert layer.ops == ("net/MatMul", "net/Relu")
    assert (main.kernels, main.kernels_us, main.ops) == (("fusion.2",), (15.0,), ("net/Sum",))


def test_time_that_leads_to_no_line_is_told() -> None:
    found = times()
    assert (found.unattributed_us, found.unattributed_kernels) == (10.0, ("copy.3",))
    assert found.unattributed_share == pytest.approx(10 / 70)
    assert (found.run_us, found.notes) == (100.0, ())
    assert sum(line.xla_us for line in found.lines) + found.unattributed_us == pytest.approx(70.0)


def test_a_kernel_of_which_a_part_leads_to_a_line() -> None:
    ops = {"dot.1": {"net/MatMul": 0.3, "unknown": 0.7}, "fusion.2": {"unknown": 1.0}, "copy.3": {"net/Sum": 1.0}}
    found = line_times(TABLE, ops, Stacks(STACKS))
    assert found.unattributed_us == pytest.approx(28 + 20)
    assert found.unattributed_kernels == ("dot.1", "fusion.2")


def test_a_function_that_calls_itself_counts_once() -> None:
    found = lines(line_times(table(kernel("add.1", 10.0)), {"add.1": {"rec/Add": 1.0}}, Stacks(STACKS)))
    assert (found["main.py:9"].xla_us, found["main.py:9"].with_calls_us) == (10.0, 10.0)
    assert found["main.py:3"].with_calls_us == 10.0


def test_of_a_line_that_is_there_twice_the_innermost_frame_counts() -> None:
    inner, outer = Frame("a.py", 1, "f", "keras"), Frame("a.py", 1, "f")
    stacks = Stacks(Tracebacks({"op": (inner, outer)}))
    (line,) = line_times(table(kernel("add.1", 10.0)), {"add.1": {"op": 1.0}}, stacks).lines
    assert line.folded == "keras"


def test_without_xla_nothing_is_said_where_nothing_was_measured() -> None:
    assert {(line.no_xla_us, line.no_xla_with_calls_us) for line in times().lines} == {(None, None)}
    assert times().no_xla_unattributed_us is None


def test_times_without_xla_stand_beside() -> None:
    ops = (TfOp("net/MatMul", "MatMul", 1, 50.0), TfOp("net/Sum", "Sum", 2, 8.0), TfOp("other", "Add", 1, 4.0))
    found = times(tf_ops=TfOps(5, 90.0, 4, ops))
    layer, main = lines(found).values()
    assert (layer.no_xla_us, layer.no_xla_with_calls_us) == (50.0, 50.0)
    assert (main.no_xla_us, main.no_xla_with_calls_us) == (8.0, 58.0)
    assert found.no_xla_unattributed_us == 4.0


def test_a_line_that_costs_only_without_xla_is_listed_behind() -> None:
    ops = (TfOp("rec/Add", "Add", 1, 500.0),)
    found = times(tf_ops=TfOps(5, 90.0, 1, ops))
    assert list(lines(found)) == ["layers.py:8", "main.py:3", "main.py:9"]
    assert (found.lines[2].xla_us, found.lines[2].no_xla_us, found.lines[2].kernels) == (0.0, 500.0, ())


@pytest.mark.parametrize(
    "name",
    [
        "while/body/_12/while/MatMul",
        "outer/while/cond/_3/while/MatMul",
        "net/MatMul/unary_ops_composition",
        "net/Relu-folded",
        "ConstantFolding/net/Relu-folded",
        "net/MatMul-0-TransposeNHWCToNCHW",
        "net/ArithmeticOptimizer/AddOpsRewrite_Relu",
        "net/ArithmeticOptimizer/AddOpsRewrite_Leaf_0_Relu",
    ],
)
def test_names_that_tensorflows_optimizer_makes_lead_to_the_op_they_were_made_from(name: str) -> None:
    assert Stacks(STACKS).place_of(name) == "layers.py:8"


@pytest.mark.parametrize("name", ["", "net", "MatMul", "other/MatMul"])
def test_a_name_nobody_made_leads_nowhere(name: str) -> None:
    assert Stacks(STACKS)(name) == ()
    assert Stacks(STACKS).place_of(name) == ""


def test_the_first_snapshots_instructions_stand_by_their_lines() -> None:
    before = module_of("""ENTRY main { x = f32[8] parameter(0), metadata={op_name="XLA_Args"}
  dot.9 = f32[8] negate(x), metadata={op_name="net/MatMul"}
  sum.8 = f32[8] negate(dot.9), metadata={op_name="unknown;net/Sum"}
  ROOT relu.7 = f32[8] negate(sum.8), metadata={op_name="net/Relu"} }
""")
    layer, main = lines(times(before=before)).values()
    assert (layer.before, main.before) == (("dot.9", "relu.7"), ("sum.8",))


def test_files_are_in_order_of_their_time_and_have_their_text_where_it_is_at_hand() -> None:
    found = times(sources={"main.py": "import x\n"})
    assert [(file.path, file.text) for file in found.files] == [("layers.py", None), ("main.py", "import x\n")]


def test_without_tracebacks_a_sentence_says_why() -> None:
    found = line_times(TABLE, OPS, Stacks(Tracebacks()))
    assert (found.lines, found.files, found.unattributed_share) == ((), (), 1.0)
    assert found.notes == ("Nothing tells the lines behind these kernels: a capture by xlaviz records them.",)


def test_a_table_without_kernels_has_no_share_that_is_lost() -> None:
    assert line_times(table(), {}, Stacks(STACKS)).unattributed_share == 0.0


JAX = """HloModule jit_f

FileNames
1 "/home/me/model.py"
2 "/opt/venv/lib/python3.12/site-packages/flax/linen.py"
3 "/home/me/train.py"

FunctionNames
1 "loss"
2 "apply"
3 "main"

FileLocations
1 {file_name_id=1 function_name_id=1 line=12 end_line=12 column=4 end_column=9}
2 {file_name_id=2 function_name_id=2 line=700 end_line=700 column=4 end_column=9}
3 {file_name_id=3 function_name_id=3 line=40 end_line=40 column=4 end_column=9}

StackFrames
1 {file_location_id=3 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}
3 {file_location_id=2 parent_frame_id=3}

ENTRY main { x = f32[8] parameter(0)
  dot.1 = f32[8] negate(x), metadata={op_name="jit(f)/dot" stack_frame_id=3}
  mul.2 = f32[8] negate(dot.1), metadata={op_name="jit(f)/mul;jit(f)/add" stack_frame_id=1}
  lib.3 = f32[8] negate(mul.2), metadata={op_name="jit(f)/lib" source_file="/x/site-packages/a.py" source_line=3}
  ROOT own.4 = f32[8] negate(lib.3), metadata={op_name="jit(f)/own" source_file="/home/me/old.py" source_line=5} }
"""


def jax_module() -> HloModule:
    (module,) = read_hlo_text(JAX, file="jax.txt")
    return module


def jax_stacks(module: HloModule) -> dict[str, list[str]]:
    """Op name and instruction -> the places on its stack."""
    stacks = Stacks(Tracebacks())
    names = stacks.names_in(module)
    return {
        f"{plain_name(name)} of {one.name}": [frame.place for frame in stacks(name)]
        for one in module.entry_computation.instructions
        for name in names(one)
    }


def test_lines_of_the_modules_own_metadata_leave_libraries_out() -> None:
    assert jax_stacks(jax_module()) == {
        "jit(f)/dot of dot.1": ["/home/me/model.py:12", "/home/me/train.py:40"],
        "jit(f)/mul of mul.2": ["/home/me/train.py:40"],
        "jit(f)/add of mul.2": ["/home/me/train.py:40"],
        "jit(f)/lib of lib.3": [],
        "jit(f)/own of own.4": ["/home/me/old.py:5"],
    }


def test_two_lines_of_one_op_name_are_told_apart() -> None:
    text = JAX.replace('op_name="jit(f)/own"', 'op_name="jit(f)/dot"')
    (module,) = read_hlo_text(text, file="jax.txt")
    found = jax_stacks(module)
    assert found["jit(f)/dot of dot.1"] != found["jit(f)/dot of own.4"] == ["/home/me/old.py:5"]
    stacks = Stacks(Tracebacks())
    kernels = table(kernel("dot.1", 10.0), kernel("own.4", 30.0))
    ops = op_shares(module, {name: {name: 1.0} for name in ("dot.1", "own.4")}, stacks.names_in(module))
    times = {(line.file, line.line): line for line in line_times(kernels, ops, stacks).lines}
    assert times["/home/me/model.py", 12].xla_us == pytest.approx(10.0)
    assert times["/home/me/old.py", 5].xla_us == pytest.approx(30.0)
    assert times["/home/me/old.py", 5].ops == ("jit(f)/dot",)
    (group,) = by_op(kernels, ops)
    assert (group.label, group.self_us) == ("jit(f)/dot", pytest.approx(40.0))


def test_a_captures_tracebacks_are_better_than_the_modules_metadata() -> None:
    (own,) = (one for one in jax_module().entry_computation.instructions if one.name == "own.4")
    stacks = Stacks(STACKS)
    assert stacks.names_in(jax_module())(own) == ("jit(f)/own",)
    assert stacks("jit(f)/own") == ()
