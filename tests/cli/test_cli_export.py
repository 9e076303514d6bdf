"""Exported files are what their endings say, and show what was asked for."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ET
from contextlib import closing
from pathlib import Path

import pytest
from cli_process import xlaviz

from xlaviz.dumps.document import open_document
from xlaviz.scene.palette import LIGHT

VIEWS = ["before", "after", "pass:17", "pass:0", "side-by-side"]


def export(bundle: Path, out: Path, *options: str) -> Path:
    ran = xlaviz("export", bundle, "-o", out, *options)
    assert (ran.status, ran.out, ran.err) == (0, f"{out}\n", "")
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    return out


def svg_words(path: Path) -> str:
    root = ET.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert all(float(size) > 0 for size in root.attrib["viewBox"].split()[2:])
    return " ".join("".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text"))


@pytest.mark.parametrize("view", VIEWS)
def test_svg(view: str, matmul_bundle: Path, tmp_path: Path) -> None:
    words = svg_words(export(matmul_bundle, tmp_path / "x.svg", "--view", view))
    assert "dot" in words
    assert ("Before" in words or "before" in words) == (view in ("before", "side-by-side", "pass:0"))
    assert ("fusion" in words) == (view in ("after", "side-by-side", "pass:17"))


def test_an_svg_names_every_instruction_it_shows(matmul_bundle: Path, tmp_path: Path) -> None:
    words = svg_words(export(matmul_bundle, tmp_path / "x.svg", "--view", "after", "--open", "none"))
    with closing(open_document(matmul_bundle)) as document:
        entry = document.read_module(document.main_sequence.snapshots[-1]).entry_computation
    for instruction in entry.instructions:
        if instruction.opcode not in ("constant", "get-tuple-element"):
            shown = instruction.name.removeprefix(instruction.opcode) or instruction.opcode
            assert shown in words, instruction.name


def test_clusters_open_on_demand(matmul_bundle: Path, tmp_path: Path) -> None:
    closed = svg_words(export(matmul_bundle, tmp_path / "x.svg", "--open", "none"))
    opened = svg_words(export(matmul_bundle, tmp_path / "x.svg", "--open", "all"))
    assert "▸" in closed
    assert "▾" not in closed
    assert "▾" in opened


@pytest.mark.parametrize("view", ["after", "side-by-side"])
def test_png(view: str, matmul_bundle: Path, tmp_path: Path) -> None:
    data = export(matmul_bundle, tmp_path / "x.png", "--view", view).read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert 100 < width < 32_000
    assert 100 < height < 32_000
    assert data.rstrip(b"\0")[-8:-4] == b"IEND"


def test_side_by_side_is_wider_than_either_side(matmul_bundle: Path, tmp_path: Path) -> None:
    widths = {}
    for view in ("before", "after", "side-by-side"):
        data = export(matmul_bundle, tmp_path / "x.png", "--view", view).read_bytes()
        widths[view] = struct.unpack(">I", data[16:20])[0]
    assert widths["side-by-side"] >= widths["before"] + widths["after"]


@pytest.mark.parametrize("view", ["before", "side-by-side"])
def test_pdf(view: str, matmul_bundle: Path, tmp_path: Path) -> None:
    data = export(matmul_bundle, tmp_path / "x.pdf", "--view", view).read_bytes()
    assert data.startswith(b"%PDF-1.")
    assert data.rstrip().endswith(b"%%EOF")
    assert len(re.findall(rb"/Type\s*/Page\b", data)) == 1
    assert b"/MediaBox" in data


@pytest.mark.parametrize("view", VIEWS)
def test_dot(view: str, matmul_bundle: Path, tmp_path: Path) -> None:
    program = shutil.which("dot")
    assert program is not None
    path = export(matmul_bundle, tmp_path / "x.dot", "--view", view)
    done = subprocess.run([program, "-Tsvg", str(path)], capture_output=True, check=True)
    assert done.stderr == b""
    titles = "".join(ET.fromstring(done.stdout).itertext())
    assert "dot" in titles


def test_themes_differ(matmul_bundle: Path, tmp_path: Path) -> None:
    pictures = [export(matmul_bundle, tmp_path / "x.svg", "--theme", theme).read_text() for theme in ("light", "dark")]
    assert pictures[0] != pictures[1]


def test_the_same_export_twice_is_the_same_file(matmul_bundle: Path, tmp_path: Path) -> None:
    first = export(matmul_bundle, tmp_path / "x.svg").read_bytes()
    assert export(matmul_bundle, tmp_path / "x.svg").read_bytes() == first


def test_upper_case_and_blanks_in_names(matmul_bundle: Path, tmp_path: Path) -> None:
    export(matmul_bundle, tmp_path / "My Graph ü.SVG")


def test_a_stale_display_is_no_obstacle(matmul_bundle: Path, tmp_path: Path) -> None:
    """A picture needs no display, so one that is named and not there does not matter."""
    ran = xlaviz("export", matmul_bundle, "-o", tmp_path / "x.svg", variables={"DISPLAY": ":12345"})
    assert (ran.status, ran.err) == (0, "")


def test_one_hlo_file(tmp_path: Path) -> None:
    (tmp_path / "f.hlo").write_text(
        "HloModule f\n\nENTRY main { x = f32[8] parameter(0)\n ROOT y = f32[8] cosine(x) }\n"
    )
    (tmp_path / "out").mkdir()
    for view in ("before", "after", "side-by-side", "pass:0"):
        assert "cosine" in svg_words(export(tmp_path / "f.hlo", tmp_path / "out" / "x.svg", "--view", view))


def test_heat_colours_by_time_and_says_so(matmul_bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "hot").mkdir()
    said = "time per run of each kernel"
    assert said not in svg_words(export(matmul_bundle, tmp_path / "plain" / "x.svg"))
    words = svg_words(export(matmul_bundle, tmp_path / "hot" / "x.svg", "--heat"))
    assert said in words
    assert re.search(rf"{said} 0 [\d.]+ [mµ]s", words), "the scale below the heading"


def test_heat_in_dot_has_no_colours_of_families(matmul_bundle: Path, tmp_path: Path) -> None:
    dot = export(matmul_bundle, tmp_path / "x.dot", "--heat").read_text("utf-8")
    assert re.search(r"0 to [\d.]+ [mµ]s", dot)
    assert not any(colour in dot for pair in LIGHT.families.values() for colour in pair)


def test_of_one_snapshot_every_view_is_one_picture(tmp_path: Path) -> None:
    file, out = tmp_path / "f.hlo", tmp_path / "out"
    file.write_text("HloModule f\n\nENTRY main { x = f32[8] parameter(0)\n ROOT y = f32[8] cosine(x) }\n")
    out.mkdir()
    for view in ("before", "after", "side-by-side"):
        assert svg_words(export(file, out / "x.svg", "--view", view)).count("cosine") == 1


def test_heat_without_times_is_refused(matmul_bundle: Path, tmp_path: Path) -> None:
    ran = xlaviz("export", matmul_bundle, "--view", "pass:1", "--heat", "-o", tmp_path / "x.svg")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("xlaviz: No times are known of what this view of")
