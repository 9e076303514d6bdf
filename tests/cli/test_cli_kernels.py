"""`kernels` added up by op, layer and line, on one device; `report`. As JSON and CSV for scripts."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from cli_process import refused, xlaviz
from profile_builder import GpuBuilder, SpaceBuilder, hlo_module

GRAPH = {
    "main": [("x", "parameter", (), ()), ("dot.1", "custom-call", ("x",), ()), ("add.2", "fusion", ("dot.1",), ())]
}
SECTIONS = ["calls", "compile", "kernels", "memory", "numerics"]


@pytest.fixture
def gpus(tmp_path: Path) -> Path:
    """Two GPUs, the second one slower, with a copy beside the kernels."""
    builder = GpuBuilder()
    builder.embed(hlo_module(GRAPH, name="jit_f"))
    for number in (0, 1):
        gpu = builder.device(number)
        builder.execution(0, 20, thread=str(number))
        builder.kernel(gpu, "dot.1", 1, 1000, 41_000 * (number + 1), thread=str(number))
        builder.kernel(gpu, "add.2", 2, 90_000, 100_000, thread=str(number))
        builder.event("MemcpyD2H", 200_000, 203_000, lane="Stream #9", plane=gpu)
    return written(builder, tmp_path)


def written(builder: SpaceBuilder, folder: Path) -> Path:
    path = folder / "a.xplane.pb"
    path.write_bytes(builder.serialized())
    return path


def found(*arguments: str | Path) -> Any:
    ran = xlaviz(*arguments, "--json")
    assert (ran.status, ran.err) == (0, "")
    return json.loads(ran.out)


def rows(*arguments: str | Path) -> list[dict[str, str]]:
    ran = xlaviz(*arguments, "--csv")
    assert (ran.status, ran.err) == (0, "")
    return list(csv.DictReader(io.StringIO(ran.out)))


def test_by_line(matmul_bundle: Path) -> None:
    table = found("kernels", matmul_bundle, "--by", "line")
    assert set(table) == {"lines", "unattributed_share"}
    assert {frozenset(line) for line in table["lines"]} == {frozenset(("file", "line", "xla_us", "no_xla_us", "share"))}
    assert [line["line"] for line in table["lines"]] == [11, 12, 13]
    assert table["unattributed_share"] == 0
    kernels = found("kernels", matmul_bundle)["kernels"]
    assert sum(line["share"] for line in table["lines"]) == pytest.approx(sum(k["share"] for k in kernels), abs=1e-4)
    assert table["lines"][0]["share"] == pytest.approx(kernels[0]["share"], abs=1e-4)
    printed = rows("kernels", matmul_bundle, "--by", "line")
    assert [row["file"] for row in printed][3:] == ["no line", "in no kernel"]
    times = [line["xla_us"] for line in table["lines"]]
    assert [float(row["xla_us"]) for row in printed[:3]] == pytest.approx(times, abs=1e-3)
    assert sum(float(row["share"]) for row in printed) == pytest.approx(1)
    text = xlaviz("kernels", matmul_bundle, "--by", "line").out
    assert "0.0% of the kernels' time leads to no line" in text
    assert "matmul.py:11  matmul_relu_sum" in text


def test_by_op(matmul_bundle: Path) -> None:
    table = found("kernels", matmul_bundle, "--by", "op")
    assert set(table) == {"ops", "unattributed_share"}
    assert [set(op) for op in table["ops"]] == [{"op", "us", "share", "kernels"}] * 3
    assert [op["op"].rpartition("/")[2] for op in table["ops"]] == ["MatMul", "Relu", "Sum"]
    assert table["ops"][0]["kernels"] == ["MatMul.2"]
    printed = rows("kernels", matmul_bundle, "--by", "op")
    assert [row["op"] for row in printed] == [*(op["op"] for op in table["ops"]), "in no kernel"]
    assert sum(float(row["share"]) for row in printed) == pytest.approx(1)


def test_two_forms_at_once_are_refused(matmul_bundle: Path) -> None:
    ran = xlaviz("kernels", matmul_bundle, "--csv", "--json")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "xlaviz: --csv and --json do not go together. Choose one of them.\n"


@pytest.mark.tensorflow
def test_by_layer_of_a_keras_model(train_step_bundle: Path) -> None:
    table = found("kernels", train_step_bundle, "--by", "layer")
    assert set(table) == {"layers", "unattributed_share"}
    labels = [layer["layer"] for layer in table["layers"]]
    assert any(label.endswith(" (gradient)") for label in labels)
    kernels = found("kernels", train_step_bundle)["kernels"]
    spent = sum(kernel["share"] for kernel in kernels)
    attributed = sum(layer["share"] for layer in table["layers"])
    assert attributed == pytest.approx(spent * (1 - table["unattributed_share"]), abs=0.02)


@pytest.mark.tensorflow
def test_nearly_all_of_a_keras_model_leads_to_the_users_own_file(train_step_bundle: Path) -> None:
    table = found("kernels", train_step_bundle, "--by", "line")
    assert table["unattributed_share"] <= 0.05
    assert {Path(line["file"]).name for line in table["lines"]} == {"train_step.py"}


def test_kernels_as_csv(matmul_bundle: Path) -> None:
    printed = rows("kernels", matmul_bundle)
    assert [row["name"] for row in printed][-1] == "unattributed"
    assert sum(float(row["share"]) for row in printed) == pytest.approx(1)
    assert printed[0]["flops"] == "2e+09"


def test_one_device_or_all(gpus: Path) -> None:
    assert [kernel["median_us"] for kernel in found("kernels", gpus)["kernels"]] == [60.5, 10.0]
    second = found("kernels", gpus, "--device", "/device:GPU:1")
    assert (second["runs"], [kernel["median_us"] for kernel in second["kernels"]]) == (1, [81.0, 10.0])
    assert refused("kernels", gpus, "--device", "/device:GPU:7") == (
        "jit_f did not run on /device:GPU:7. Devices: /device:GPU:0, /device:GPU:1."
    )


def test_what_is_not_in_hlo_is_listed_apart(gpus: Path) -> None:
    ran = xlaviz("kernels", gpus, "--device", "/device:GPU:0")
    head, _, others = ran.out.partition("\nnot in HLO")
    assert "MemcpyD2H" not in head
    assert others.splitlines()[-1].split() == ["MemcpyD2H", "/device:GPU:0", "1", "3.0", "3.0"]


def test_an_inferred_end_is_marked_and_explained(tmp_path: Path) -> None:
    builder = SpaceBuilder()
    builder.embed(hlo_module(GRAPH))
    builder.run(0, 100_000)
    builder.op("dot.1", 10_000, 12_000)
    path = written(builder, tmp_path)
    assert [(kernel["median_us"], kernel["exact"]) for kernel in found("kernels", path)["kernels"]] == [(90.0, False)]
    ran = xlaviz("kernels", path)
    assert "≤ 90.0" in ran.out
    assert "\n≤: the kernel runs asynchronously and its end is inferred, an upper bound" in ran.out


def test_a_module_that_is_missing_does_not_hide_the_times(tmp_path: Path) -> None:
    builder = SpaceBuilder()
    builder.run(0, 100_000)
    builder.op("dot.1", 10_000, 50_000, logged=49_000)
    table = found("kernels", written(builder, tmp_path))
    assert (table["runs"], table["unmatched"]) == (1, 1)
    assert [(k["name"], k["opcode"], k["median_us"], k["flops"]) for k in table["kernels"]] == [
        ("dot.1", "", 40.0, None)
    ]


def test_a_module_that_is_damaged_does_not_hide_the_times(tmp_path: Path) -> None:
    builder = SpaceBuilder()
    builder.embed(hlo_module(GRAPH))
    builder.run(0, 100_000)
    builder.op("dot.1", 10_000, 50_000, logged=49_000)
    metadata = builder.space.planes[1].event_metadata[7]
    metadata.stats[0].bytes_value = metadata.stats[0].bytes_value[:-3]
    table = found("kernels", written(builder, tmp_path))
    assert [(kernel["name"], kernel["median_us"]) for kernel in table["kernels"]] == [("dot.1", 40.0)]


@pytest.mark.parametrize("by", ["op", "layer", "line"])
def test_without_a_module_all_time_is_unattributed(by: str, tmp_path: Path) -> None:
    builder = SpaceBuilder()
    builder.run(0, 100_000)
    builder.op("dot.1", 10_000, 50_000, logged=49_000)
    table = found("kernels", written(builder, tmp_path), "--by", by)
    assert table == {f"{by}s": [], "unattributed_share": 1.0}


def test_a_profile_without_xla_is_one_sentence(tmp_path: Path) -> None:
    builder = SpaceBuilder()
    builder.event("MatMul", 0, 10)
    path = written(builder, tmp_path)
    for arguments in (["kernels"], ["kernels", "--device", "D"], ["report"], ["report", "--json"]):
        sentence = refused(arguments[0], path, *arguments[1:])
        assert sentence.startswith(f"{path} has no events of a program compiled by XLA: none ran while it was recorded")


def test_what_ran_without_xla_is_listed_by_device(tmp_path: Path) -> None:
    builder = GpuBuilder()
    for number in range(2):
        builder.event(f"memcpy{number}", 0, 10, lane="Stream #1", plane=builder.device(number))
    path = written(builder, tmp_path)
    ran = xlaviz("kernels", path, "--device", "/device:GPU:1")
    assert ran.status == 0
    assert "memcpy1" in ran.out
    assert "memcpy0" not in ran.out
    assert refused("kernels", path, "--device", "D").endswith("Devices: /device:GPU:0, /device:GPU:1.")


@pytest.mark.parametrize("arguments", [["--by", "wish"], ["--by"], ["--device"]])
def test_wrong_calls_are_one_sentence(arguments: list[str], matmul_bundle: Path) -> None:
    assert "See xlaviz kernels --help." in refused("kernels", matmul_bundle, *arguments)


def test_report_as_json(matmul_bundle: Path) -> None:
    page = found("report", matmul_bundle)
    assert set(page) == {"title", "verdict", "pays", "sections"}
    assert list(page["sections"]) == SECTIONS
    for section in page["sections"].values():
        for figure in section.values():
            assert set(figure) == {"value", "how", "missing"}
            assert bool(figure["missing"]) == (not figure["how"])
    assert page["pays"] is False
    speedup = page["sections"]["calls"]["call_us"]["value"]["speedup"]
    assert f"{1 / speedup:.2f} times slower" in page["verdict"]


def test_report_for_people(matmul_bundle: Path) -> None:
    ran = xlaviz("report", matmul_bundle)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "Does XLA pay for matmul_relu_sum?"
    for title in ("TIME PER CALL", "BEFORE THE FIRST CALL", "WHAT RUNS IN A CALL", "MEMORY"):
        assert f"\n{title}" in ran.out


def test_report_of_a_profile_says_what_only_a_capture_can_tell(gpus: Path) -> None:
    page = found("report", gpus)
    assert page["pays"] is None
    assert page["sections"]["calls"]["call_us"]["missing"].startswith("only a capture by xlaviz")
    assert page["sections"]["kernels"]["kernels"]["value"]["xla"] == 2.0


def test_report_of_bad_input_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.xplane.pb").write_bytes(b"\n\x10\xef\xbf\xbd" * 20)
    assert "a.xplane.pb" in refused("report", tmp_path / "a.xplane.pb")
    assert "nothing.xlaviz" in refused("report", tmp_path / "nothing.xlaviz")
