"""The user's files with the time of each line: what is shown, and what goes in and out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, Qt, QUrl
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from xlaviz.scene.palette import DARK, LIGHT, Theme
from xlaviz.timing.lines import LineTime, LineTimes, SourceFile
from xlaviz.ui.source_colours import long_strings
from xlaviz.ui.source_panel import SourcePanel
from xlaviz.ui.source_text import short_names

STEP, LAYERS, KERAS = "/home/ann/step.py", "/home/ann/model/layers.py", "/py/site-packages/keras/adam.py"
CODE = '''"""A module.

def not_code(): "in a string"
"""
@tf.function  # 'a comment'
def step(x):
    y = layer(x)
    return loss(y) * 0.5
''' + "\n".join(f"value_{number} = {number}" for number in range(9, 200))


def line(file: str, number: int, xla_us: float, with_calls_us: float | None = None, **more: object) -> LineTime:
    name = f"{file.rpartition('/')[2]}:{number}"
    values: dict[str, object] = {
        "function": "step",
        "no_xla_us": 3 * xla_us,
        "no_xla_with_calls_us": 4 * xla_us,
        "share": xla_us / 400,
        "kernels": (f"kernel of {name}",),
        "ops": (f"op/{name}",),
        "before": (f"before {name}",),
    }
    calls_us = with_calls_us if with_calls_us is not None else xla_us
    return LineTime(file, number, xla_us=xla_us, with_calls_us=calls_us, **values | more)  # type: ignore[arg-type]


LINES = (
    line(STEP, 8, 100.0, folded="keras · 7 frames"),
    line(LAYERS, 3, 80.0),
    line(STEP, 150, 20.0),
    line(KERAS, 40, 0.01, kernels=(), before=()),
    line(KERAS, 12, 5.0),
    line(STEP, 7, 0.0, 80.0),
)
TIMES = LineTimes(
    400.0,
    LINES,
    (SourceFile(KERAS, None), SourceFile(LAYERS, "a = 1\nb = 2\nc = 3\n"), SourceFile(STEP, CODE)),
    12.5,
    0.03,
    ("copy.2", "call.1"),
    no_xla_unattributed_us=33.0,
    notes=("Measured on a busy machine.",),
)


@pytest.fixture
def panel(qtbot: QtBot) -> SourcePanel:
    panel = SourcePanel()
    qtbot.addWidget(panel)
    panel.set_theme(LIGHT)
    panel.resize(1300, 270)
    with qtbot.waitExposed(panel):
        panel.show()
    panel.show_lines(TIMES)
    return panel


@pytest.fixture
def told(panel: SourcePanel) -> list[tuple[object, ...]]:
    """What the panel tells from now on."""
    found: list[tuple[object, ...]] = []
    panel.line_chosen.connect(lambda before, after: found.append((before, after)))
    panel.kernel_wanted.connect(lambda name: found.append((name,)))
    return found


def file_rows(panel: SourcePanel) -> list[list[str]]:
    items = (panel.files.topLevelItem(row) for row in range(panel.files.topLevelItemCount()))
    return [[item.text(column) for column in range(3)] for item in items if item is not None]


def visible(panel: SourcePanel) -> set[int]:
    return {number for number, _, _ in panel.view.visible_lines()}


def place(panel: SourcePanel, number: int) -> QPoint:
    """Where a line is in the view."""
    top, height = next((top, height) for at, top, height in panel.view.visible_lines() if at == number)
    return QPoint(30, int(top + height / 2))


def colours_in(panel: SourcePanel, part: QRect) -> set[str]:
    image = panel.view.viewport().grab().toImage()
    xs, ys = range(part.left(), part.right()), range(part.top(), part.bottom())
    return {image.pixelColor(x, y).name() for x in xs for y in ys}


def test_files_stand_by_time_and_say_what_they_are(panel: SourcePanel) -> None:
    rows = file_rows(panel)
    assert rows[0] == ["step.py", "120.0 µs", "360.0 µs"]
    assert rows[1][0] == "layers.py"
    assert rows[2] == ["adam.py  ·  library  ·  not at hand", "5.0 µs", "15.0 µs"]
    assert panel.file is not None
    assert panel.file.path == STEP


def test_what_leads_to_no_line_is_never_hidden(panel: SourcePanel) -> None:
    assert "12.5 µs" in panel.unattributed.text()
    assert "3.0%" in panel.unattributed.text()
    assert "33.0 µs" in panel.unattributed.text()
    assert "copy.2\ncall.1" in panel.unattributed.toolTip()
    assert panel.unattributed.isVisible()
    panel.show_lines(replace(TIMES, unattributed_us=0.0, unattributed_share=0.0, unattributed_kernels=()))
    assert "0.0%" in panel.unattributed.text()
    assert "copy.2" not in panel.unattributed.toolTip()


def test_lines_have_their_times_and_those_without_are_blank(panel: SourcePanel) -> None:
    cells = panel.view.cells
    assert (cells[8].share, cells[8].xla, cells[8].no_xla) == ("25.0%", "100.0 µs", "300.0 µs")
    assert cells[8].note == "keras · 7 frames"
    assert (cells[7].share, cells[7].xla, cells[7].no_xla) == ("", "", "")
    assert cells[8].heat == 1.0
    assert cells[150].heat == 0.2
    assert set(cells) == {7, 8, 150}


def test_with_calls_each_line_has_those_of_what_it_calls_too(panel: SourcePanel) -> None:
    panel.with_calls.setChecked(True)
    assert (panel.view.cells[7].xla, panel.view.cells[7].share) == ("80.0 µs", "20.0%")
    assert panel.view.cells[8].no_xla == "400.0 µs"


def test_the_column_without_xla_is_there_where_it_was_measured(panel: SourcePanel) -> None:
    def titles() -> list[str]:
        return [column.title for column in panel.view.columns]

    assert titles() == ["of a run", "XLA", "without XLA", "line"]
    assert all(column.tip for column in panel.view.columns)
    assert "estimated work" in panel.view.columns[1].tip
    lines = tuple(replace(line, no_xla_us=None, no_xla_with_calls_us=None) for line in LINES)
    panel.show_lines(replace(TIMES, lines=lines))
    assert titles() == ["of a run", "XLA", "line"]
    assert panel.files.isColumnHidden(2)


def test_a_click_tells_what_is_behind_a_line(panel: SourcePanel, told: list[object], qtbot: QtBot) -> None:
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place(panel, 8))
    assert told == [(("before step.py:8",), ("kernel of step.py:8",))]
    shown = panel.detail.toPlainText()
    for words in ("step.py:8 in step", "100.0 µs", "25.0%", "kernel of step.py:8", "op/", "keras · 7 frames"):
        assert words in shown.replace("\u200b", "")
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place(panel, 6))
    assert len(told) == 1
    assert "Line 6 made no op" in panel.detail.toPlainText()
    assert "Measured on a busy machine." in panel.detail.toPlainText()


def test_links_tell_of_a_kernel_and_of_the_line(panel: SourcePanel, told: list[object], qtbot: QtBot) -> None:
    panel.hotter.click()
    assert "href='kernel:" in panel.detail.toHtml().replace('"', "'")
    told.clear()
    panel.detail.anchorClicked.emit(QUrl("kernel:fusion%201"))
    panel.detail.anchorClicked.emit(QUrl("show:"))
    assert told == [("fusion 1",), (("before step.py:8",), ("kernel of step.py:8",))]


def test_keys_move_by_lines_and_by_cost(panel: SourcePanel, told: list[object], qtbot: QtBot) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    reached = []
    for key, modifier in (
        (Qt.Key.Key_Down, control),  # from nowhere to the costliest
        (Qt.Key.Key_Up, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Up, control),  # there is none that costs more
        (Qt.Key.Key_Down, control),
        (Qt.Key.Key_Down, control),
    ):
        qtbot.keyClick(panel.view, key, modifier)
        assert panel.file is not None
        reached.append((panel.file.path, panel.view.current))
        assert panel.view.current in visible(panel)
    assert reached == [(STEP, 8), (STEP, 7), (STEP, 8), (STEP, 8), (LAYERS, 3), (STEP, 150)]
    current = panel.files.currentItem()
    assert current is not None
    assert current.text(0) == "step.py"


def test_buttons_go_through_all_lines_that_have_time(panel: SourcePanel) -> None:
    reached = []
    for _ in range(7):
        panel.colder.click()
        assert panel.line is not None
        reached.append(panel.line.xla_us)
    assert reached == [100.0, 80.0, 20.0, 5.0, 0.01, 0.01, 0.01]
    panel.hotter.click()
    assert panel.line.xla_us == 5.0


def test_a_file_that_is_not_at_hand_lists_its_lines(panel: SourcePanel, qtbot: QtBot) -> None:
    item = panel.files.topLevelItem(2)
    assert item is not None
    panel.files.setCurrentItem(item)
    assert panel.view.toPlainText() == "in step\nin step"
    assert [panel.view.number_of(place) for place in range(3)] == [12, 40, 0]
    assert panel.view.cells[40].xla == "< 0.1 µs"
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place(panel, 40))
    assert "adam.py:40" in panel.detail.toPlainText()
    assert "< 0.1 µs" in panel.detail.toPlainText()


def test_the_summary_counts_lines_that_have_time_themselves(panel: SourcePanel) -> None:
    assert "5 lines with time in 3 files" in panel.summary.text()
    panel.show_lines(replace(TIMES, lines=(LINES[0], LINES[5])))
    assert "1 line with time in 1 file" in panel.summary.text()


ABSL = "/py/site-packages/absl/app.py"
CALLERS = (line(KERAS, 99, 0.0, 5.0, function="<module>", no_xla_us=None), line(ABSL, 2, 0.0, 5.0, no_xla_us=None))
WITH_CALLERS = replace(TIMES, lines=(*LINES, *CALLERS), files=(*TIMES.files, SourceFile(ABSL, None)))


def test_what_only_calls_others_is_listed_with_their_time_alone(panel: SourcePanel) -> None:
    panel.show_lines(WITH_CALLERS)
    assert len(file_rows(panel)) == 3
    item = panel.files.topLevelItem(2)
    assert item is not None
    panel.files.setCurrentItem(item)
    assert [panel.view.number_of(place) for place in range(3)] == [12, 40, 0]
    panel.view.choose(40)
    panel.with_calls.setChecked(True)
    assert [panel.view.number_of(place) for place in range(4)] == [12, 40, 99, 0]
    assert panel.view.cells[99].xla == "5.0 µs"
    assert panel.view.current == 40
    assert [row[0] for row in file_rows(panel)][3].startswith("app.py")
    current = panel.files.currentItem()
    assert current is not None
    assert current.text(0).startswith("adam.py")
    absl = panel.files.topLevelItem(3)
    assert absl is not None
    panel.files.setCurrentItem(absl)
    panel.with_calls.setChecked(False)
    assert len(file_rows(panel)) == 3
    assert panel.file is not None
    assert panel.file.path == STEP


def test_with_calls_the_text_stays_where_it_is(panel: SourcePanel) -> None:
    panel.view.verticalScrollBar().setValue(60)
    panel.with_calls.setChecked(True)
    assert panel.view.verticalScrollBar().value() == 60


def test_another_file_shows_its_costliest_line(panel: SourcePanel, told: list[object]) -> None:
    for row, number in ((1, 3), (2, 12), (0, 8)):
        item = panel.files.topLevelItem(row)
        assert item is not None
        panel.files.setCurrentItem(item)
        assert panel.view.current == number
        assert number in visible(panel)
        assert f":{number}" in panel.detail.toPlainText()
    assert told == []


def test_a_time_with_an_inferred_end_is_an_upper_bound(panel: SourcePanel) -> None:
    lines = (replace(LINES[0], exact=False), *LINES[1:5], replace(LINES[5], exact=False))
    panel.show_lines(replace(TIMES, lines=lines))
    assert [panel.view.cells[number].xla for number in (8, 150, 7)] == ["≤ 100.0 µs", "20.0 µs", ""]
    assert [row[1] for row in file_rows(panel)] == ["≤ 120.0 µs", "80.0 µs", "5.0 µs"]
    panel.hotter.click()
    assert "≤ 100.0 µs" in panel.detail.toPlainText()
    panel.with_calls.setChecked(True)
    assert panel.view.cells[7].xla == "≤ 80.0 µs"


def test_a_line_says_in_which_graphs_it_can_be_shown(panel: SourcePanel) -> None:
    panel.hotter.click()
    assert "Show in both graphs" in panel.detail.toPlainText()
    assert "OPS (1)" in panel.detail.toPlainText()
    assert "TENSORFLOW" not in panel.detail.toPlainText()
    panel.show_lines(replace(TIMES, lines=(replace(LINES[0], before=()),)))
    panel.hotter.click()
    assert "Show in the graph" in panel.detail.toPlainText()


def test_tab_leaves_what_is_behind_a_line(panel: SourcePanel, qtbot: QtBot) -> None:
    panel.hotter.click()
    panel.activateWindow()
    panel.detail.setFocus()
    qtbot.keyClick(panel.detail, Qt.Key.Key_Tab)
    assert not panel.detail.hasFocus()


def test_the_text_is_seen_in_a_narrow_panel(panel: SourcePanel, qtbot: QtBot) -> None:
    assert panel.view.viewport().width() > 400
    panel.resize(510, 270)
    qtbot.waitUntil(lambda: panel.splitter.width() <= 510)
    assert [column.field for column in panel.view.columns] == ["xla", "number"]
    assert panel.view.viewport().width() > 120
    panel.resize(1300, 270)
    assert len(panel.view.columns) == 4


def test_marks_are_shown_where_they_are_and_nobody_is_told(panel: SourcePanel, told: list[object]) -> None:
    assert 150 not in visible(panel)
    panel.mark_places({(STEP, 150), (STEP, 160)})
    assert panel.view.marked == {150, 160}
    assert panel.view.current == 150
    assert 150 in visible(panel)
    panel.mark_places({(LAYERS, 3), ("/elsewhere.py", 1)})
    assert panel.file is not None
    assert panel.file.path == LAYERS
    assert panel.view.marked == {3}
    assert "layers.py:3" in panel.detail.toPlainText()
    panel.mark_places(())
    assert panel.view.marked == frozenset()
    assert panel.file.path == LAYERS
    assert told == []


def test_marks_that_can_be_seen_leave_the_text_where_it_is(panel: SourcePanel) -> None:
    panel.mark_places({(STEP, 150)})
    before = panel.view.verticalScrollBar().value()
    panel.mark_places({(STEP, 151)})
    assert panel.view.verticalScrollBar().value() == before


def test_the_chosen_line_stays_chosen_among_the_marks(panel: SourcePanel) -> None:
    panel.colder.click()
    panel.colder.click()
    panel.colder.click()
    panel.mark_places({(STEP, 8), (STEP, 150)})
    assert panel.view.current == 150


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_python_is_in_colours(panel: SourcePanel, theme: Theme) -> None:
    panel.set_theme(theme)
    first, third, sixth = (place(panel, number).y() for number in (1, 3, 6))
    width = panel.view.viewport().width()

    def colours(y: int) -> set[str]:
        return colours_in(panel, QRect(0, y - 6, width, 12))

    keyword, string = QColor(theme.moved).name(), QColor(theme.added).name()
    assert string in colours(first)
    assert string in colours(third)
    assert keyword not in colours(third)
    assert keyword in colours(sixth)
    panel.view.verticalScrollBar().setValue(120)
    number = QColor(theme.heat).name()
    assert number in colours(place(panel, 130).y())


def test_long_strings_end_where_they_end() -> None:
    text = "a = '''x\n# \"\"\" no\n''' # ''' no\nb = \"'''\" + r'''\\''''\nc = \"\"\"open"
    found = [text[start:end] for start, end in long_strings(text)]
    assert found == ["'''x\n# \"\"\" no\n'''", "r'''\\''''", '"""open']


def test_a_long_file_is_coloured_as_it_comes_into_view(panel: SourcePanel) -> None:
    panel.show_lines(replace(TIMES, files=(SourceFile(STEP, "if x: pass\n" * 20_000),)))
    document = panel.view.document()

    def is_coloured(number: int) -> bool:
        return bool(document.findBlockByNumber(number).layout().formats())

    assert is_coloured(0)
    assert not is_coloured(9_000)
    panel.view.verticalScrollBar().setValue(9_000)
    assert is_coloured(9_000)


def test_a_message_takes_the_place_of_the_files(panel: SourcePanel) -> None:
    panel.mark_places({(STEP, 150)})
    panel.show_lines(None, "This bundle was not profiled.")
    assert panel.summary.text() == "This bundle was not profiled."
    assert not panel.splitter.isVisible()
    assert panel.line is None
    panel.mark_places({(STEP, 8)})
    panel.colder.click()
    assert panel.line is None
    panel.show_lines(TIMES)
    assert panel.splitter.isVisible()


def test_names_of_files_are_as_short_as_they_can_be() -> None:
    paths = ["/a/model/layers.py", "/a/loss/layers.py", "/a/step.py", "step.py"]
    assert list(short_names(paths).values()) == ["model/layers.py", "loss/layers.py", "a/step.py", "step.py"]
