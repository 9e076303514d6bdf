"""The tabs about time on documents that lack something, that are replaced, stopped or closed."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest
from helpers.driving import PATIENCE_MS, open_in, settle
from helpers.recorded import COMPUTATIONS, write_dump, write_profile
from helpers.tabs import choose_row, look_at
from profile_builder import GpuBuilder, SpaceBuilder, hlo_module
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from xlaviz.ui.main_window import MainWindow


def tabs(window: MainWindow) -> tuple[QWidget, ...]:
    return (window.kernel_panel, window.timing.timeline, window.timing.source, window.timing.report)


def words(window: MainWindow) -> tuple[str, str, str, str]:
    """What each tab says above, or in place of, what it shows."""
    timing = window.timing
    said = (timing.kernels.summary, timing.timeline.summary, timing.source.summary, timing.report.message)
    return tuple(label.text() for label in said)  # type: ignore[return-value]


def look_at_all(window: MainWindow, qtbot: QtBot, *, has_report: bool = True) -> tuple[str, str, str, str]:
    for panel in tabs(window):
        look_at(window, panel, qtbot)
    assert window.timing.report.verdict.isVisible() == has_report, "the report is there wherever XLA compiled anything"
    assert window.notifications.isHidden() or "does not hold its module" in window.notifications.text.text()
    return words(window)


def changed(bundle: Path, path: Path, members: dict[str, bytes | None]) -> Path:
    """A bundle with other members, without those that are None."""
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = members.get(name, old.read(name))
            if data is not None:
                new.writestr(name, data)
    return path


def choose_device(window: MainWindow, qtbot: QtBot, number: int) -> str:
    combo = window.kernel_panel.head.device
    combo.setCurrentIndex(number)
    combo.activated.emit(number)
    settle(window, qtbot)
    return str(combo.currentData())


# What is missing


def test_a_document_without_profile_says_so_in_every_tab(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    file = tmp_path / "one.hlo"
    file.write_text("HloModule one\n\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] negate(x)\n}\n")
    open_in(window, file, qtbot)
    *times, _ = look_at_all(window, qtbot)
    assert all("without a profile" in said for said in times)
    assert window.timing.timeline.run_box.isHidden()
    assert window.timing.source.splitter.isHidden()
    assert not window.kernel_panel.head.csv.isVisibleTo(window.kernel_panel)
    window.timing.commands.save_csv()
    window.kernel_panel.executions_wanted.emit("y")
    settle(window, qtbot)
    assert window.notifications.isHidden(), window.notifications.text.text()


def test_a_profile_without_its_module_has_times_all_the_same(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    open_in(window, write_profile(tmp_path / "box.xplane.pb", {3: "f"}, without=(3,)), qtbot)
    kernels, timeline, _, _ = look_at_all(window, qtbot)
    assert "1 kernel" in kernels
    assert "kernels cover" in timeline
    look_at(window, window.kernel_panel, qtbot)
    choose_row(window, qtbot, "dot.1")
    assert window.session.selection.name == "dot.1"
    window.kernel_panel.show_chart(1)
    settle(window, qtbot)
    assert window.kernel_panel.distribution.executions is not None


def test_a_profile_without_xla_says_so(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    builder = SpaceBuilder()
    builder.event("MatMul", 0, 900)
    path = tmp_path / "box.xplane.pb"
    path.write_bytes(builder.serialized())
    open_in(window, path, qtbot)
    *times, report = look_at_all(window, qtbot, has_report=False)
    assert all(times)
    assert "no events of a program compiled by XLA" in report
    assert window.session.kernels is None or not window.session.kernels.kernels


def test_a_real_profile_without_xla_lists_what_ran(window: MainWindow, shared: Path, qtbot: QtBot) -> None:
    open_in(window, shared / "profiles" / "cuda_gpu_multi_worker_tf_2020.xplane.pb", qtbot)
    said_by_all = look_at_all(window, qtbot, has_report=False)
    assert all("no events of a program compiled by XLA" in said for said in said_by_all)
    look_at(window, window.kernel_panel, qtbot)
    assert window.kernel_panel.others.isVisible()


@pytest.mark.parametrize("data", [None, b"\xff" * 500], ids=["missing", "damaged"])
def test_the_page_comes_without_the_profile_of_what_ran_without_xla(
    window: MainWindow, matmul_bundle: Path, tmp_path: Path, qtbot: QtBot, data: bytes | None
) -> None:
    path = changed(matmul_bundle, tmp_path / "cut.xlaviz", {"profile/no_xla.xplane.pb": data})
    open_in(window, path, qtbot)
    _, _, source, _ = look_at_all(window, qtbot)
    assert "3 lines with time" in source
    assert window.timing.source.view.cells[11].no_xla == ""
    report = window.timing.shown_report
    assert report is not None
    figures = [figure for section in report.sections for figure in section.figures]
    assert any("no_xla.xplane.pb" in figure.how for figure in figures)
    assert "Times without XLA are not known" in window.timing.source.detail.toPlainText()


def test_a_damaged_profile_is_one_sentence_in_every_tab(
    window: MainWindow, matmul_bundle: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    path = changed(matmul_bundle, tmp_path / "cut.xlaviz", {"profile/run.xplane.pb": b"\xff" * 500})
    open_in(window, path, qtbot)
    *times, _ = look_at_all(window, qtbot)
    assert all("run.xplane.pb" in said for said in times)
    assert window.panes["right"].canvas.graph is not None


# Devices


def test_a_device_alone_changes_every_tab(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    builder = GpuBuilder()
    gpus = [builder.device(number) for number in (0, 1)]
    for number, gpu in enumerate(gpus):
        thread = f"{number + 1}"
        builder.execution(0, 1000, thread=f"Host Threads/{thread}")
        builder.kernel(gpu, "dot.1", 10, 20, 120 + 300 * number, thread=thread)
    builder.embed(hlo_module(COMPUTATIONS, name="jit_f"))
    path = tmp_path / "box.xplane.pb"
    path.write_bytes(builder.serialized())
    open_in(window, path, qtbot)
    assert window.kernel_panel.head.device.isVisible()
    times_us, lanes, lines_us = [], [], []
    for number in range(3):
        look_at(window, window.kernel_panel, qtbot)
        device = choose_device(window, qtbot, number)
        table = window.session.kernels
        assert table is not None
        assert table.device == device
        times_us.append(table.kernels[0].median_us)
        look_at(window, window.timing.timeline, qtbot)
        timeline = window.timing.timeline.spans.timeline
        assert timeline is not None
        lanes.append(len(timeline.lanes))
        look_at(window, window.timing.source, qtbot)
        assert window.timing.lines is not None
        lines_us.append(window.timing.lines.unattributed_us)
    assert times_us == pytest.approx([0.25, 0.1, 0.4])
    assert lines_us == pytest.approx(times_us)
    assert lanes[1:] == [1, 1]


def test_eight_real_devices_to_choose_from(window: MainWindow, shared: Path, qtbot: QtBot) -> None:
    open_in(window, shared / "profiles" / "rocm_mi300_jax08_conv.xplane.pb", qtbot)
    assert window.kernel_panel.head.device.count() == 9
    assert window.session.kernels is not None
    assert window.session.kernels.runs == 40
    first = choose_device(window, qtbot, 1)
    table = window.session.kernels
    assert (table.device, table.runs) == (first, 5)
    assert window.session.selection.name in {kernel.name for kernel in table.kernels}
    assert choose_device(window, qtbot, 0) == ""
    assert window.session.kernels.runs == 40


# One after the other


def test_late_answers_of_another_document_are_dropped(
    window: MainWindow, matmul_bundle: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    open_in(window, matmul_bundle, qtbot)
    for panel in tabs(window):
        window.bottom.setCurrentWidget(panel)  # asks, and is not waited for
    assert window.session.background.is_busy
    open_in(window, write_dump(tmp_path / "dump", {1: "f"}), qtbot)
    assert window.timing.timeline.spans.timeline is None
    assert window.timing.lines is None
    assert window.timing.shown_report is not None, "of the tab that is shown"
    assert "for f?" in window.timing.shown_report.title
    *times, _ = look_at_all(window, qtbot)
    assert all("without a profile" in said for said in times)


def test_another_module_is_never_shown_with_the_times_of_the_one_before(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    open_in(window, write_profile(tmp_path / "box.xplane.pb", {3: "f", 5: "g"}), qtbot)
    assert window.session.info is not None
    look_at_all(window, qtbot)
    for sequence, run_us in zip(window.session.info.sequences, (0.1, 0.2), strict=True):
        with qtbot.waitSignal(window.document_shown, timeout=PATIENCE_MS):
            window.session.show_sequence(sequence)
            assert window.kernel_panel.shown_kernels == ()
            assert window.timing.timeline.spans.timeline is None
            assert window.timing.shown_report is None
        settle(window, qtbot)
        look_at_all(window, qtbot)
        assert window.session.kernels is not None
        assert window.session.kernels.run_us == pytest.approx(run_us)
        assert window.timing.timeline.spans.timeline is not None
        assert window.timing.timeline.spans.timeline.duration_us == pytest.approx(run_us)
        assert window.timing.lines is not None
        assert window.timing.lines.run_us == pytest.approx(run_us)


def test_a_tab_says_that_it_waits(window: MainWindow, matmul_bundle: Path, qtbot: QtBot) -> None:
    said = []
    for panel in tabs(window):
        window.bottom.setCurrentWidget(panel)
        with qtbot.waitSignal(window.session.document_changed, timeout=PATIENCE_MS):
            window.open_path(matmul_bundle)
        said.append(words(window)[tabs(window).index(panel)])
        settle(window, qtbot)
    assert [text[:7] for text in said] == ["Reading", "Reading", "Adding ", "Adding "]


def test_what_was_stopped_is_asked_again_when_one_looks_again(opened: MainWindow, qtbot: QtBot) -> None:
    for panel in tabs(opened)[1:]:
        opened.bottom.setCurrentWidget(panel)
        opened.session.background.stop_all()
        settle(opened, qtbot)
        assert any(said.startswith("Stopped") for said in words(opened))
        look_at(opened, opened.kernel_panel, qtbot)
        look_at(opened, panel, qtbot)
        assert not any(said.startswith("Stopped") for said in words(opened))
    assert opened.timing.lines is not None
    assert opened.timing.shown_report is not None


def test_peaks_of_one_machine_are_not_taken_for_another(
    opened: MainWindow, matmul_bundle: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    roofline = opened.kernel_panel.roofline
    recorded = roofline.roof.peaks
    opened.session.times.set_peaks(type(recorded)(1e15, 1e13, "typed in"))
    assert roofline.roof.peaks.flops_per_s == 1e15
    open_in(opened, Path(shutil.copy(matmul_bundle, tmp_path / "other.xlaviz")), qtbot)
    assert roofline.roof.peaks == recorded


@pytest.mark.parametrize("place", range(4))
def test_the_window_closes_while_a_tab_is_read(
    window: MainWindow, matmul_bundle: Path, qtbot: QtBot, place: int
) -> None:
    open_in(window, matmul_bundle, qtbot)
    window.kernel_panel.show_chart(1)
    window.bottom.setCurrentWidget(tabs(window)[place])
    window.session.select_kernel("ynn_fusion")
    assert window.session.is_busy
    window.close()
    assert not window.session.is_busy


def test_the_dark_theme_reaches_every_tab(opened: MainWindow, qtbot: QtBot) -> None:
    for panel in tabs(opened):
        look_at(opened, panel, qtbot)
        light = opened.bottom.grab().toImage()
        qtbot.keyClick(opened, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
        dark = opened.bottom.grab().toImage()
        qtbot.keyClick(opened, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
        spots = [(x, y) for x in range(4, light.width() - 4, 9) for y in range(60, light.height() - 4, 9)]
        for image, is_dark in ((light, False), (dark, True)):
            bright = sum(QColor(image.pixelColor(x, y)).lightness() > 128 for x, y in spots) / len(spots)
            assert bright < 0.25 if is_dark else bright > 0.75
