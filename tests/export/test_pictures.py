"""Pictures of a small graph in every format, and of what cannot be written."""

from __future__ import annotations

import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from helpers.drawn import chain, small_graph
from PySide6.QtGui import QColor, QImage

from xlaviz.base.errors import WorkFailedError
from xlaviz.export import picture
from xlaviz.export.dot import write_dot
from xlaviz.export.picture import Panel, picture_size, write_picture
from xlaviz.graph.overlay import Overlay
from xlaviz.scene.painter import GraphPainter
from xlaviz.scene.palette import DARK, LIGHT, Theme, heat_colour, ink_on

pytestmark = pytest.mark.usefixtures("qapp")
KINDS = ("svg", "png", "pdf")


def panels(count: int = 1, theme: Theme = LIGHT) -> list[Panel]:
    return [Panel(f"Side {number} <&>", GraphPainter(*small_graph(), theme)) for number in range(count)]


def write(given: list[Panel], path: Path) -> None:
    kind = path.suffix[1:]
    write_dot(given, path) if kind == "dot" else write_picture(given, path, kind)


@pytest.mark.parametrize("count", [1, 2])
def test_svg_is_xml_with_the_words_in_it(tmp_path: Path, count: int) -> None:
    path = tmp_path / "a.svg"
    write(panels(count), path)
    root = ElementTree.parse(path).getroot()
    words = " ".join(root.itertext())
    for word in ("x", "add", "fusion", "f32[4]", f"Side {count - 1} <&>"):
        assert word in words
    width, height = picture_size(panels(count)).toTuple()
    assert [float(part) for part in root.attrib["viewBox"].split()] == [0, 0, width, height]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_png_has_twice_the_size_and_the_theme_s_ground(tmp_path: Path, theme: Theme) -> None:
    path = tmp_path / "a.png"
    write(panels(2, theme), path)
    image = QImage(str(path))
    size = picture_size(panels(2))
    assert (image.width(), image.height()) == (int(size.width() * 2), int(size.height() * 2))
    assert image.pixelColor(1, image.height() - 2).name() == theme.canvas


def test_pdf_is_one_page_of_the_picture_s_size(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    write(panels(), path)
    data = path.read_bytes()
    assert data.startswith(b"%PDF-")
    assert data.count(b"/Type /Page\n") == 1


@pytest.mark.parametrize("count", [1, 2])
def test_dot_is_read_by_graphviz(tmp_path: Path, count: int) -> None:
    path = tmp_path / "a.dot"
    write(panels(count), path)
    program = shutil.which("dot")
    assert program is not None
    drawn = subprocess.run([program, "-Tplain", str(path)], capture_output=True, text=True, check=True).stdout
    for name in ("x", "add", "out"):
        assert drawn.count(f"{name} tag.1") == count
    assert path.read_text("utf-8").count("subgraph") == (2 * count if count > 1 else 1)


@pytest.mark.parametrize("kind", [*KINDS, "dot"])
def test_a_place_that_cannot_be_written_is_said_in_one_sentence(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "missing" / f"a.{kind}"
    with pytest.raises(WorkFailedError, match=str(path)) as caught:
        write(panels(), path)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", [*KINDS, "dot"])
def test_a_folder_of_that_name_is_left_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    path.mkdir()
    with pytest.raises(WorkFailedError):
        write(panels(), path)
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("kind", [*KINDS, "dot"])
def test_an_old_file_is_replaced_and_nothing_else_is_left(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    path.write_text("old")
    write(panels(), path)
    assert path.stat().st_size > 100
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_a_large_picture_is_made_smaller_than_the_cap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "MAX_PIXELS", 100_000)
    path = tmp_path / "a.png"
    write([Panel("long", GraphPainter(*chain(300), LIGHT))], path)
    image = QImage(str(path))
    assert 0 < image.width() * image.height() <= 100_000


def test_no_side_is_longer_than_qt_can_draw(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    write([Panel("long", GraphPainter(*chain(2000), LIGHT))], path)
    assert QImage(str(path)).height() <= 32_000


def heated(heat: float, theme: Theme = LIGHT) -> Panel:
    overlay = Overlay(heat={"x": heat, "fusion": 1.0})
    return Panel("hot", GraphPainter(*small_graph(), theme, overlay), "1.5 ms")


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_picture_of_times_has_their_scale_below_its_heading(tmp_path: Path, theme: Theme) -> None:
    path = tmp_path / "a.png"
    write([heated(0.5, theme)], path)
    image = QImage(str(path))
    row = [image.pixelColor(2 * x, 2 * 35) for x in range(30, 165)]
    cold, hot = ([near(colour, heat_colour(share, theme)) for colour in row] for share in (0.03, 0.97))
    assert cold.index(True) < 10
    assert hot.index(True) > 110
    without = picture_size([Panel("hot", heated(0.5).painter)])
    assert picture_size([heated(0.5)]).height() > without.height()


def test_the_heading_is_whole_whatever_the_graphs_width(tmp_path: Path) -> None:
    short, long = (Panel(words, GraphPainter(*small_graph(), LIGHT)) for words in ("a", "W" * 60))
    assert picture_size([short]).width() == short.painter.bounds.width()
    write([long, short], tmp_path / "a.png")
    image = QImage(str(tmp_path / "a.png")).copy(0, 0, int(2 * picture_size([long]).width()), 60)
    inked = [x for x in range(image.width()) for y in range(60) if image.pixelColor(x, y).lightness() < 100]
    assert max(inked) > 2 * 60 * 10
    assert max(inked) < image.width() - 16


def near(one: QColor, other: QColor) -> bool:
    pairs = ((one.red(), other.red()), (one.green(), other.green()), (one.blue(), other.blue()))
    return all(abs(mine - wanted) <= 8 for mine, wanted in pairs)


def test_only_a_panel_of_times_has_a_scale(tmp_path: Path) -> None:
    write([heated(0.5), *panels()], tmp_path / "both.svg")
    words = [text.strip() for text in ElementTree.parse(tmp_path / "both.svg").getroot().itertext()]
    assert words.count("1.5 ms") == 1
    assert words.count("0") == 1


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_dot_has_the_colours_of_the_times(tmp_path: Path, theme: Theme) -> None:
    path = tmp_path / "a.dot"
    write([heated(0.7, theme)], path)
    text = path.read_text("utf-8")
    assert "0 to 1.5 ms" in text
    box = next(line for line in text.splitlines() if "tooltip=x" in line)
    fill = heat_colour(0.7, theme)
    assert f'fillcolor="{fill.name()}"' in box
    assert f'fontcolor="{ink_on(fill).name()}"' in box
    assert not any(colour in text for colour in theme.families["parameter"])
    program = shutil.which("dot")
    assert program is not None
    subprocess.run([program, "-Tplain", str(path)], capture_output=True, check=True)
