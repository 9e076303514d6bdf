"""The page "Does XLA pay?" as a widget: verdict, chart, figures."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QKeySequence, QShortcut
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from xlaviz.scene.palette import DARK, LIGHT, Theme
from xlaviz.timing.report import Bar, CallTimes, Figure, Report, Section
from xlaviz.ui.report_panel import BarStrip, ReportPanel

CALLS = CallTimes((410.0, 420.0, 430.0, 440.0, 9000.0), (1200.0, 1250.0, 1300.0, 1350.0, 1400.0))
LONG = "none in 41 calls with one signature: f32[32,784], s32[32]"
FIGURES = (
    Figure("median", "median", "428.1 µs", "1.3 ms", "3.0× faster", "30 calls each, alternating"),
    Figure("noise", "spread too wide", "p90/p10 1.28", how="other programs ran", is_warning=True),
    Figure("peak", "peak memory", missing="the allocator keeps no statistics"),
    Figure("seen", "recompilations", LONG, how="counted in the profile"),
)
BARS = (Bar("backend", 847.0, "847.0 ms"), Bar("Codegen", 398.0, "398.0 ms", is_part=True))
REPORT = Report(
    "train_step on CPU", "Yes: three times as fast.", True, CALLS, (Section("time", "Time per call", FIGURES, BARS),)
)


@pytest.fixture
def panel(qtbot: QtBot) -> ReportPanel:
    panel = ReportPanel()
    qtbot.addWidget(panel)
    panel.set_theme(LIGHT)
    panel.resize(1200, 270)
    with qtbot.waitExposed(panel):
        panel.show()
    return panel


def labels(panel: ReportPanel) -> dict[str, QLabel]:
    return {label.text(): label for label in panel.figures.findChildren(QLabel)}


def test_every_figure_is_there_with_how_it_was_measured(panel: ReportPanel) -> None:
    panel.show_report(REPORT)
    shown = labels(panel)
    for figure in FIGURES:
        for text in (figure.xla, figure.no_xla, figure.ratio, figure.how):
            assert text in shown or text.replace(" ", "\u00a0") in shown
    assert {"Time per call", "with XLA", "without", "ratio", "how measured", "backend", "Codegen"} <= set(shown)
    assert "not measured: the allocator keeps no statistics" in shown


def test_bars_are_to_one_scale_whatever_their_texts(panel: ReportPanel, qtbot: QtBot) -> None:
    bars = (
        Bar("all", 800.0, "800.0 ms · 100.0% of it"),
        Bar("part", 800.0, "1", is_part=True),
        Bar("half", 400.0, "2"),
    )
    panel.show_report(replace(REPORT, sections=(Section("compile", "Compiling", (), bars),)))
    strips = panel.figures.findChildren(BarStrip)
    qtbot.waitUntil(lambda: all(strip.width() > 400 for strip in strips))
    lengths = {}
    for strip in strips:
        image = strip.grab().toImage()
        row = [image.pixelColor(x, image.height() // 2) for x in range(image.width())]
        lengths[strip.bar.label] = next(x for x, colour in enumerate(row) if x > 4 and colour != row[4])
    assert lengths["all"] == pytest.approx(lengths["part"], abs=2)
    assert lengths["all"] == pytest.approx(2 * lengths["half"], abs=4)


def test_a_warning_bears_a_sign_and_a_colour(panel: ReportPanel) -> None:
    panel.show_report(REPORT)
    assert LIGHT.removed in labels(panel)["⚠ spread too wide"].styleSheet()
    assert LIGHT.removed not in labels(panel)["median"].styleSheet()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize(
    ("pays", "word", "name"), [(True, "pays", "added"), (False, "does not pay", "removed"), (None, "?", "muted")]
)
def test_the_verdict_is_said_in_words_and_in_colour(
    panel: ReportPanel, qtbot: QtBot, theme: Theme, pays: bool | None, word: str, name: str
) -> None:
    panel.set_theme(theme)
    panel.show_report(replace(REPORT, pays=pays))
    assert word in panel.answer.text()
    qtbot.waitUntil(lambda: panel.answer.height() > 20)
    assert panel.answer.grab().toImage().pixelColor(6, 14) == QColor(getattr(theme, name))
    assert panel.verdict.text() == REPORT.verdict


def test_a_message_takes_the_place_of_a_page(panel: ReportPanel) -> None:
    panel.show_report(REPORT)
    assert panel.chart.isVisible()
    assert not panel.message.isVisible()
    panel.show_report(None, "This bundle holds no measurement.")
    assert panel.message.text() == "This bundle holds no measurement."
    assert panel.message.isVisible()
    assert not labels(panel)
    assert not any(widget.isVisible() for widget in (panel.chart, panel.answer, panel.copy, panel.save))


def test_the_buttons_ask_for_the_text(panel: ReportPanel, qtbot: QtBot) -> None:
    panel.show_report(REPORT)
    for button, wanted in ((panel.copy, panel.copy_wanted), (panel.save, panel.save_wanted)):
        with qtbot.waitSignal(wanted):
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_chart_has_a_strip_for_each_side_that_was_measured(panel: ReportPanel) -> None:
    panel.show_report(REPORT)
    assert [strip.name for strip in panel.chart.strips] == ["with XLA", "without XLA"]
    assert [strip.percentiles_us[1] for strip in panel.chart.strips] == [430.0, 1300.0]
    panel.show_report(replace(REPORT, calls=CallTimes(xla_us=CALLS.xla_us)))
    assert [strip.name for strip in panel.chart.strips] == ["with XLA"]
    panel.show_report(replace(REPORT, calls=CallTimes()))
    assert not panel.chart.isVisible()


def test_the_few_slow_calls_do_not_press_the_others_together(panel: ReportPanel) -> None:
    calls = CallTimes((400.0,) * 29 + (90_000.0,), (1200.0,) * 30)
    panel.show_report(replace(REPORT, calls=calls))
    assert panel.chart.beyond == 1
    assert panel.chart.limit_us < 3000
    label = panel.chart.plot.getPlotItem().getAxis("bottom").labelText
    assert "1 slower call" in label
    assert "90.0 ms" in label


def test_all_can_be_scrolled_to_and_the_chart_lets_the_wheel_through(panel: ReportPanel, qtbot: QtBot) -> None:
    panel.show_report(replace(REPORT, sections=REPORT.sections * 4))
    qtbot.waitUntil(lambda: panel.verticalScrollBar().maximum() > 0)
    assert panel.chart.childAt(panel.chart.rect().center()) is None


NAME = "adam/sequential_block1_batch_normalization_1_gamma_momentum"
NAMED = Figure("name", NAME, "0.0071, relative 1.8, 1,974,525,989 ULPs", how="variable float32[32] " * 9, value=1)
SPREAD = Figure(
    "spread", "one call", "138.0 ms (119.3 ms to 231.8 ms)", "12.4 ms (11.8 ms to 12.8 ms)", "0.09×", "by 30"
)
UNBROKEN = Bar("HloPassWithALongNameInOneWord" * 4, 1.0, "1.0 ms · 100.0% of it")


@pytest.mark.parametrize("width", [490, 700, 1000, 1600])
def test_nothing_is_wider_than_the_page(panel: ReportPanel, qtbot: QtBot, width: int) -> None:
    sections = (*REPORT.sections, Section("numerics", "Results", (NAMED, SPREAD), (UNBROKEN,)))
    panel.show_report(replace(REPORT, title=f"Does it pay for {NAME}?", sections=sections))
    panel.resize(width, 600)
    qtbot.waitUntil(lambda: panel.viewport().width() > width - 30)
    page = panel.widget()
    qtbot.waitUntil(lambda: page.width() <= panel.viewport().width())
    assert not panel.horizontalScrollBar().isVisible()
    found = panel.figures.findChildren(QLabel)
    qtbot.waitUntil(lambda: all(label.height() >= label.heightForWidth(label.width()) for label in found))

    def ends() -> list[int]:
        return [label.mapTo(page, label.rect().bottomRight()).x() for label in found]

    qtbot.waitUntil(lambda: max(ends()) <= page.width())


def test_how_it_was_measured_goes_below_where_it_is_narrow(panel: ReportPanel, qtbot: QtBot) -> None:
    panel.show_report(REPORT)

    def places() -> tuple[int, int, int]:
        shown = labels(panel)
        value, how, nxt = shown["428.1\u00a0µs"], shown[FIGURES[0].how], shown["⚠ spread too wide"]
        return value.geometry().bottom(), how.y(), nxt.y()

    qtbot.waitUntil(lambda: panel.figures.width() > 1000)
    value, how, following = places()
    assert how < value < following
    panel.resize(490, 600)
    qtbot.waitUntil(lambda: panel.figures.width() < 490)
    value, how, following = places()
    assert value < how < following
    assert "how measured" not in labels(panel)


def test_a_long_name_breaks_at_its_parts(panel: ReportPanel) -> None:
    panel.show_report(replace(REPORT, sections=(Section("numerics", "Results", (NAMED,)),)))
    name = next(text for text in labels(panel) if text.replace("\u200b", "") == NAME)
    assert name.split("\u200b")[:3] == ["adam/", "sequential_", "block1_"]


def test_home_and_end_move_the_page_from_its_buttons(panel: ReportPanel, qtbot: QtBot) -> None:
    panel.show_report(replace(REPORT, sections=REPORT.sections * 4))
    bar = panel.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    taken: list[str] = []
    for keys in ("Home", "End"):
        shortcut = QShortcut(QKeySequence(keys), panel.window())
        shortcut.activated.connect(lambda keys=keys: taken.append(keys))
    panel.save.setFocus()
    qtbot.keyClick(panel.save, Qt.Key.Key_End)
    assert bar.value() == bar.maximum()
    qtbot.keyClick(panel.save, Qt.Key.Key_Home)
    assert bar.value() == 0
    assert not taken


@pytest.mark.parametrize("xla_us", [(138e3,) * 30, (12e3,) * 30], ids=["slow", "quick"])
def test_the_words_of_the_chart_are_whole(panel: ReportPanel, qtbot: QtBot, xla_us: tuple[float, ...]) -> None:
    panel.show_report(replace(REPORT, calls=CallTimes(xla_us, (12.4e3,) * 20 + (140e3,) * 3)))
    for width in (1200, 490):
        panel.resize(width, 400)
        qtbot.waitUntil(lambda: panel.chart.width() <= panel.viewport().width())
        panel.grab()
        plot = panel.chart.plot.getPlotItem().getViewBox().sceneBoundingRect()
        for words in panel.chart.words:
            place = words.mapRectToScene(words.boundingRect())
            assert plot.left() - 1 <= place.left() < place.right() <= plot.right() + 1
