"""What instructions cost, against figures worked out by hand from XLA's formulas."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from xlaviz.base.errors import XlavizError
from xlaviz.hlo.costs import UNKNOWN, Cost, CostModel
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.read import read_hlo
from xlaviz.hlo.text import read_hlo_text

COMPUTATIONS = """
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }

greater { x.1 = f32[] parameter(0)
  y.1 = f32[] parameter(1)
  ROOT g = pred[] compare(x.1, y.1), direction=GE }

gelu { x.2 = f32[] parameter(0)
  t.2 = f32[] tanh(x.2)
  m.2 = f32[] multiply(x.2, t.2)
  ROOT h.2 = f32[] add(m.2, x.2) }

two { p.3 = f32[] parameter(0)
  q.3 = f32[] parameter(1)
  p.4 = s32[] parameter(2)
  q.4 = s32[] parameter(3)
  a.3 = f32[] add(p.3, q.3)
  a.4 = s32[] add(p.4, q.4)
  ROOT r.3 = (f32[], s32[]) tuple(a.3, a.4) }
"""


def module_of(text: str) -> HloModule:
    (module,) = read_hlo_text(f"HloModule test\n\n{text}\n", file="test.txt")
    return module


def cost(text: str, *parameters: str) -> Cost:
    """The cost of the instruction `r` whose operands a, b, c... are parameters of the given shapes."""
    lines = [f"{'abcdef'[n]} = {shape} parameter({n})" for n, shape in enumerate(parameters)]
    entry = "\n".join(["ENTRY e {", *lines, f"ROOT r = {text} }}"])
    found = CostModel(module_of(COMPUTATIONS + entry)).cost("r")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "parameters", "flops", "transcendentals", "bytes_accessed"),
    [
        ("f32[4,8] add(a, b)", ["f32[4,8]", "f32[4,8]"], 32, 0, 3 * 128),
        ("pred[10] compare(a, b), direction=LT", ["f64[10]", "f64[10]"], 10, 0, 170),
        ("f32[10] select(a, b, c)", ["pred[10]", "f32[10]", "f32[10]"], 10, 0, 130),
        ("bf16[6] convert(a)", ["f32[6]"], 6, 0, 36),
        ("f32[4,8] tanh(a)", ["f32[4,8]"], 0, 32, 256),
        ("f32[5] power(a, b)", ["f32[5]", "f32[5]"], 0, 5, 60),
        ("f32[5] cosine(a)", ["f32[5]"], 0, 5, 40),
        ("f32[7] rng(a, b), distribution=rng_uniform", ["f32[]", "f32[]"], 0, 7, 36),
        ("(u64[2], u32[9]) rng-bit-generator(a), algorithm=rng_default", ["u64[2]"], 0, 11, 68),
        ("f32[4,8] copy(a)", ["f32[4,8]"], 0, 0, 256),
        ("f32[4,8] broadcast(a), dimensions={1}", ["f32[8]"], 0, 0, 160),
        ("f32[32] reshape(a)", ["f32[4,8]"], 0, 0, 256),
        ("f32[5] iota(), iota_dimension=0", [], 0, 0, 20),
        ("f32[8,4]{1,0} transpose(a), dimensions={1,0}", ["f32[4,8]{1,0}"], 0, 0, 256),
        ("f32[8,4]{0,1} transpose(a), dimensions={1,0}", ["f32[4,8]{1,0}"], 0, 0, 0),
        ("f32[8,1]{1,0} transpose(a), dimensions={1,0}", ["f32[1,8]{1,0}"], 0, 0, 0),
        ("f32[2,8] slice(a), slice={[0:2], [0:8]}", ["f32[100,8]"], 0, 0, 128),
        ("f32[1,8] dynamic-slice(a, b, b), dynamic_slice_sizes={1,8}", ["f32[100,8]", "s32[]"], 0, 0, 68),
        ("f32[100,8] dynamic-update-slice(a, b, c, c)", ["f32[100,8]", "f32[1,8]", "s32[]"], 0, 0, 68),
        (
            "f32[3,8] gather(a, b), index_vector_dim=1, slice_sizes={1,8}",
            ["f32[100,8]", "s32[3,1]"],
            0,
            0,
            2 * 96 + 12,
        ),
        (
            "f32[100,8] scatter(a, b, c), index_vector_dim=1, to_apply=add",
            ["f32[100,8]", "s32[3,1]", "f32[3,8]"],
            24,
            0,
            3 * 96 + 12,
        ),
        ("f32[4] map(a), dimensions={0}, to_apply=gelu", ["f32[4]"], 8, 4, 32),
        ("f32[4] reduce(a, b), dimensions={1}, to_apply=add", ["f32[4,8]", "f32[]"], 28, 0, 128 + 4 + 16),
        (
            "(f32[4], s32[4]) reduce(a, b, c, d), dimensions={1}, to_apply=two",
            ["f32[4,8]", "s32[4,8]", "f32[]", "s32[]"],
            2 * 28,
            0,
            2 * (128 + 4 + 16),
        ),
        (
            "f32[1,3,3,2] reduce-window(a, b), window={size=1x2x2x1 stride=1x2x2x1}, to_apply=add",
            ["f32[1,6,6,2]", "f32[]"],
            3 * 18,
            0,
            288 + 4 + 72,
        ),
        # A window over the whole of its dimension from everywhere: a reduce, its result broadcast.
        ("f32[5,4] reduce-window(a, b), window={size=1x7 pad=0_0x3_3}, to_apply=add", ["f32[5,4]", "f32[]"], 8, 0, 164),
        # As above, but padded on one side: a running sum, of which XLA counts each window whole.
        (
            "f32[5,4] reduce-window(a, b), window={size=1x4 pad=0_0x3_0}, to_apply=add",
            ["f32[5,4]", "f32[]"],
            60,
            0,
            164,
        ),
        (
            "f32[6,6] select-and-scatter(a, b, c), window={size=2x3 stride=2x3}, select=greater, scatter=add",
            ["f32[6,6]", "f32[3,2]", "f32[]"],
            6 * 5 + 6,
            0,
            144 + 24 + 4 + 144,
        ),
        ("c64[4,16] fft(a), fft_type=FFT, fft_length={16}", ["c64[4,16]"], 8 * 4 * 64, 0, 1024),
        ("f32[3,1000] sort(a), dimensions={1}, to_apply=greater", ["f32[3,1000]"], 3000 * 12, 0, 24000),
        ("f32[2,6,6] cholesky(a), lower=true", ["f32[2,6,6]"], 6 * 72 // 3, 0, 288),
        (
            "f32[6,3] triangular-solve(a, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE",
            ["f32[6,6]", "f32[6,3]"],
            2 * 6 * 18,
            0,
            72 + 72 + 72,
        ),
        ("f32[6] all-reduce(a), replica_groups={}, to_apply=add", ["f32[6]"], 6, 0, 48),
        ("f32[12] all-gather(a), replica_groups={{0,1}}, dimensions={0}", ["f32[6]"], 0, 0, 72),
        ("(f32[6], f32[12]) all-gather-start(a), replica_groups={{0,1}}, dimensions={0}", ["f32[6]"], 0, 0, 24),
        ("f32[12] all-gather-done(a)", ["(f32[6], f32[12])"], 0, 0, 48),
        ("(f32[6], f32[6], u32[]) copy-start(a)", ["f32[6]"], 0, 0, 24),
        ("f32[6] copy-done(a)", ["(f32[6], f32[6], u32[])"], 0, 0, 24),
        ("(f32[6], token[]) infeed(a)", ["token[]"], 0, 0, 24),
        ("(f32[4], f32[8]) tuple(a, b)", ["f32[4]", "f32[8]"], 0, 0, 0),
        ("f32[4] get-tuple-element(a), index=0", ["(f32[4], f32[8])"], 0, 0, 0),
        ("f32[2,2] bitcast(a)", ["f32[4]"], 0, 0, 0),
    ],
)
def test_single_instructions(
    text: str, parameters: list[str], flops: float, transcendentals: float, bytes_accessed: float
) -> None:
    assert cost(text, *parameters) == Cost(flops, transcendentals, bytes_accessed)


@pytest.mark.parametrize(
    ("shapes", "output", "dims", "flops"),
    [
        (
            ("f32[16,32]", "f32[32,8]"),
            "f32[16,8]",
            "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
            2 * 16 * 32 * 8,
        ),
        (
            ("f32[32,16]", "f32[32,8]"),
            "f32[16,8]",
            "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
            2 * 16 * 32 * 8,
        ),
        (
            ("f32[5,16,32]", "f32[5,8,32]"),
            "f32[5,16,8]",
            "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={2}",
            2 * 5 * 16 * 32 * 8,
        ),
        (("f32[4,6]", "f32[6,4]"), "f32[]", "lhs_contracting_dims={0,1}, rhs_contracting_dims={1,0}", 48),
        (("f32[3]", "f32[4]"), "f32[3,4]", "lhs_contracting_dims={}, rhs_contracting_dims={}", 24),
    ],
)
def test_dots(shapes: tuple[str, str], output: str, dims: str, flops: float) -> None:
    assert cost(f"{output} dot(a, b), {dims}", *shapes).flops == flops


def test_the_rows_of_a_ragged_dot_meet_one_group_each() -> None:
    text = "f32[16,8] ragged-dot(a, b, c), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}"
    found = cost(f"{text}, rhs_group_dims={{0}}", "f32[16,32]", "f32[4,32,8]", "s32[4]")
    assert found.flops == 2 * 16 * 32 * 8
    text = "f32[4,16,8] ragged-dot(a, b, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}"
    assert cost(text, "f32[16,32]", "f32[32,8]", "s32[4]").flops == 2 * 16 * 32 * 8


def positions(inputs: int, kernel: int, output: int, stride: int, low: int, base: int, dilation: int) -> int:
    """Pairs of a kernel and an output index that meet an element, tried one after the other."""
    places = (o * stride - low + k * dilation for k in range(kernel) for o in range(output))
    return sum(place % base == 0 and 0 <= place // base < inputs for place in places)


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("base", [1, 2, 3, 6])
@pytest.mark.parametrize(("low", "high"), [(0, 0), (2, 1), (-1, 3), (6, 6)])
@pytest.mark.parametrize("dilation", [1, 2, 3])
def test_convolutions_skip_padding_and_dilation(stride: int, base: int, low: int, high: int, dilation: int) -> None:
    size, kernel = 7, 3
    output = ((size - 1) * base + low + high - (kernel - 1) * dilation) // stride + 1
    window = f"size={kernel} stride={stride} pad={low}_{high} lhs_dilate={base} rhs_dilate={dilation}"
    text = f"f32[2,{output},5] convolution(a, b), window={{{window}}}, dim_labels=b0f_0io->b0f"
    expected = positions(size, kernel, output, stride, low, base, dilation)
    assert cost(text, f"f32[2,{size},4]", f"f32[{kernel},4,5]").flops == 2 * 2 * 4 * 5 * expected


@pytest.mark.parametrize(
    ("text", "shapes", "flops"),
    [
        (
            "f32[1,6,6,8] convolution(a, b), window={size=3x3}, dim_labels=b01f_01io->b01f",
            ("f32[1,8,8,4]", "f32[3,3,4,8]"),
            2 * 36 * 9 * 4 * 8,
        ),
        # Padded to the same size: of 8 x 3 positions two fall outside, in each dimension.
        (
            "f32[1,8,8,8] convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
            ("f32[1,8,8,4]", "f32[3,3,4,8]"),
            2 * 22 * 22 * 4 * 8,
        ),
        (
            "f32[1,6,6,8] convolution(a, b), window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=4",
            ("f32[1,8,8,4]", "f32[3,3,1,8]"),
            2 * 36 * 9 * 1 * 8,
        ),
        (
            "f32[3,6,4] convolution(a, b), window={size=3}, dim_labels=b0f_0io->b0f, batch_group_count=2",
            ("f32[6,8,5]", "f32[3,5,4]"),
            2 * 3 * 18 * 5 * 4,
        ),
        ("f32[4,6] convolution(a, b), dim_labels=bf_io->bf", ("f32[4,5]", "f32[5,6]"), 2 * 4 * 5 * 6),
    ],
)
def test_convolutions(text: str, shapes: tuple[str, str], flops: float) -> None:
    assert cost(text, *shapes).flops == flops


def test_library_calls_are_the_dots_and_convolutions_they_stand_for() -> None:
    gemm = (
        '(f32[16,8], s8[4096]) custom-call(a, b), custom_call_target="__cublas$gemm", backend_config='
        '{"gemm_backend_config":{"alpha_real":1,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"]}}}'
    )
    # The scratch memory is not counted.
    assert cost(gemm, "f32[16,32]", "f32[32,8]") == Cost(8192, 0, 4 * (512 + 256 + 128))
    older = gemm.replace('{"gemm_backend_config":', "").replace("}}}", "}}").replace("$gemm", "$lt$matmul")
    assert cost(older, "f32[16,32]", "f32[32,8]").flops == 8192
    assert cost(gemm.replace("dot_dimension_numbers", "x"), "f32[16,32]", "f32[32,8]").flops is None

    matmul = 'f32[5,16,8] custom-call(a, b), custom_call_target="__onednn$matmul"'
    assert cost(matmul, "f32[5,16,32]", "f32[5,32,8]").flops == 2 * 5 * 16 * 32 * 8
    assert cost(matmul, "f32[5,32,16]", "f32[32,8]").flops == 2 * 5 * 16 * 32 * 8


def test_the_three_library_convolutions_cost_the_same() -> None:
    image, kernel, output = "f32[1,8,8,4]", "f32[3,3,4,8]", "f32[1,8,8,8]"
    tail = "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"
    for name, operands, result in (
        ("Forward", (image, kernel), output),
        ("BackwardInput", (output, kernel), image),
        ("BackwardFilter", (image, output), kernel),
    ):
        text = f'({result}, u8[100]) custom-call(a, b), {tail}, custom_call_target="__cudnn$conv{name}"'
        assert cost(text, *operands) == Cost(2 * 22 * 22 * 4 * 8, 0, 4 * (256 + 288 + 512)), name


def test_an_unknown_call_has_no_known_arithmetic_but_moves_its_arrays() -> None:
    text = '(f32[2], s32[2]) custom-call(a), custom_call_target="TopK"'
    assert cost(text, "f32[100]") == Cost(None, None, 416)


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("f32[4] dot(a, b)", ["f32[4]", "f32[4]"]),
        ("f32[4] dot(a, b), lhs_contracting_dims={7}, rhs_contracting_dims={0}", ["f32[4]", "f32[4]"]),
        ("f32[4] convolution(a, b), window={size=3 stride=0}, dim_labels=b0f_0io->b0f", ["f32[1,2,3]", "f32[3,3,3]"]),
        ("f32[4] convolution(a, b), dim_labels=b0f", ["f32[1,2,3]", "f32[3,3,3]"]),
        (
            "f32[1,1,3] convolution(a, b), window={size=99999999999}, dim_labels=b0f_0io->b0f",
            ["f32[1,2,3]", "f32[99999999999,3,3]"],
        ),
        ("f32[4] scatter(a)", ["f32[4]"]),
        ("f32[4] dynamic-update-slice(a)", ["f32[4]"]),
    ],
)
def test_a_malformed_instruction_has_no_known_cost(text: str, parameters: list[str]) -> None:
    assert cost(text, *parameters) == UNKNOWN


def test_every_real_module_has_costs(shared: Path) -> None:
    with (shared / "corpus" / "INDEX.tsv").open(newline="") as file:
        names = [row["file"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    known = total = 0
    for name in names:
        try:
            modules = read_hlo((shared / "corpus" / name).read_bytes(), file=name)
        except XlavizError:
            continue
        for module in modules:
            model = CostModel(module)
            for instruction in (i for computation in module.computations for i in computation.instructions):
                found = model.cost(instruction.name)
                assert found is not None
                assert all(value is None or value >= 0 for value in (found.flops, found.bytes_accessed))
                assert model.work(instruction) >= 0
                total += 1
                known += found.flops is not None
    assert known > 0.99 * total > 100_000
