"""The roofline: dots, roof, what is left out, clicks."""

from __future__ import annotations

from dataclasses import replace

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from xlaviz.plots.roofline import MAX_LABELS, RooflinePanel
from xlaviz.profile.kernels import Kernel, KernelTable
from xlaviz.profile.peaks import NO_PEAKS, Peaks
from xlaviz.scene.palette import DARK, LIGHT

PEAKS = Peaks(1e11, 1e10, "typed in")


def kernel(name: str, flops: float | None, size_bytes: float | None, share: float = 0.1) -> Kernel:
    return Kernel(name, "dot", 10, 10, 9, 11, 8, 10, share, True, False, flops=flops, bytes=size_bytes)


def table(*kernels: Kernel, peaks: Peaks = PEAKS) -> KernelTable:
    return KernelTable(1, 10, 1000.0, 0.9, (0.9,), 0, (), 0, kernels, peaks=peaks)


KERNELS = (
    kernel("small", 1e4, 1e4, 0.05),
    kernel("large", 5e5, 2e4, 0.4),
    kernel("copy", 0.0, 1e5, 0.2),
    kernel("unknown", None, None, 0.11),
)


@pytest.fixture
def panel(qtbot: QtBot) -> RooflinePanel:
    panel = RooflinePanel()
    qtbot.addWidget(panel)
    panel.resize(700, 300)
    panel.set_theme(LIGHT)
    with qtbot.waitExposed(panel):
        panel.show()
    panel.show_table(table(*KERNELS))
    return panel


def inside(panel: RooflinePanel, point: QPointF) -> bool:
    return bool(panel.plot.getPlotItem().getViewBox().sceneBoundingRect().contains(point))


def test_a_dot_for_each_kernel_with_flops_sized_by_its_share(panel: RooflinePanel) -> None:
    assert [kernel.name for kernel in panel.shown_kernels] == ["large", "small"]
    sizes = {round(10 ** spot["x"], 3): spot["size"] for spot in panel.dots.data}
    assert set(sizes) == {1.0, 25.0}
    assert sizes[25.0] > sizes[1.0]
    assert all(inside(panel, panel.kernel_point(name)) for name in ("large", "small"))
    assert panel.kernel_point("large").y() < panel.kernel_point("small").y()


def test_what_is_left_out_is_told(panel: RooflinePanel) -> None:
    assert "2 kernels without FLOPs (31.0% of the run) are not shown" in panel.left_out.text()
    assert panel.left_out.isVisible()
    assert panel.left_out.y() >= panel.plot.geometry().bottom(), "it lies over no dot"
    assert panel.peaks_words.text() == "Peaks: typed in"
    assert not panel.measure.isVisible()
    panel.show_table(table(KERNELS[0], KERNELS[2]))
    assert "1 kernel without FLOPs (20.0% of the run) is not shown" in panel.left_out.text()
    panel.show_table(table(KERNELS[0]))
    assert not panel.left_out.isVisible()


def test_the_roof_has_its_ridge_where_both_peaks_meet(panel: RooflinePanel) -> None:
    x, y = panel.roof.curve.getData()
    assert (x[1], y[1]) == pytest.approx((1.0, 11.0))
    assert y[1] - y[0] == pytest.approx(x[1] - x[0])
    assert y[-1] == pytest.approx(11.0)
    assert x[-1] >= panel.plot.getPlotItem().getViewBox().viewRange()[0][1]


@pytest.mark.parametrize("size", [(700, 300), (360, 190), (330, 150)])
@pytest.mark.parametrize(
    ("peaks", "place"),
    [(PEAKS, (1e4, 1e4)), (Peaks(1.6e14, 5.3e12), (5.5e11, 2.6e8)), (Peaks(9e14, 1.6e12), (4e2, 3e3))],
)
def test_the_words_on_the_roof_are_whole_or_not_there(
    panel: RooflinePanel, size: tuple[int, int], peaks: Peaks, place: tuple[float, float]
) -> None:
    panel.resize(*size)
    panel.show_table(table(kernel("only", *place, 1.0), peaks=peaks))
    panel.grab()
    view = panel.plot.getPlotItem().getViewBox().sceneBoundingRect().adjusted(-1, -1, 1, 1)
    words = [item for item in panel.plot.items() if isinstance(item, pg.TextItem) and item not in panel.labels]
    shown = [item for item in words if item.isVisible()]
    assert len(words) == 2
    assert shown
    assert all(view.contains(item.mapRectToScene(item.boundingRect())) for item in shown)


def test_tiny_shares_are_not_called_nothing(panel: RooflinePanel) -> None:
    panel.show_table(table(kernel("tiny", 1e4, 1e4, 0.0004), kernel("rest", None, None, 0.0002)))
    assert "(< 0.1% of the run)" in panel.left_out.text()
    shown: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QToolTip, "showText", lambda place, text, widget: shown.append(text))
        panel.plot.scene().sigMouseMoved.emit(panel.kernel_point("tiny"))
    assert "< 0.1% of the run" in shown[0]


def test_one_peak_alone_is_half_a_roof(panel: RooflinePanel) -> None:
    panel.show_table(table(*KERNELS, peaks=Peaks(flops_per_s=1e11)))
    assert list(panel.roof.curve.getData()[1]) == [11.0, 11.0]
    panel.show_table(table(*KERNELS, peaks=Peaks(bytes_per_s=1e10)))
    x, y = panel.roof.curve.getData()
    assert y[1] - x[1] == pytest.approx(10)
    assert "not known" in panel.peaks_words.text()


def test_without_peaks_dots_stand_alone_and_the_peaks_can_be_had(panel: RooflinePanel, qtbot: QtBot) -> None:
    panel.show_table(table(*KERNELS, peaks=NO_PEAKS))
    assert panel.roof.curve.getData()[0] is None or not len(panel.roof.curve.getData()[0])
    assert len(panel.dots.data) == 2
    assert panel.peaks_words.text() == "Peaks are not known:"
    with qtbot.waitSignal(panel.peaks_wanted):
        qtbot.mouseClick(panel.type_in, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(panel.measure_wanted):
        qtbot.mouseClick(panel.measure, Qt.MouseButton.LeftButton)


def test_the_largest_have_labels_that_do_not_overlap(panel: RooflinePanel) -> None:
    same = [kernel(f"a rather long name {i}", 1e4 * (1 + i / 100), 1e4, 0.1 - i / 1000) for i in range(20)]
    panel.show_table(table(*same))
    assert len(panel.labels) == MAX_LABELS
    panel.plot.grab()
    boxes = [label.sceneBoundingRect().adjusted(1, 1, -1, -1) for label in panel.labels if label.isVisible()]
    assert 1 <= len(boxes) < MAX_LABELS
    assert not any(one.intersects(other) for i, one in enumerate(boxes) for other in boxes[:i])


def test_a_click_on_a_dot_selects(panel: RooflinePanel, qtbot: QtBot) -> None:
    place: QPoint = panel.plot.mapFromScene(panel.kernel_point("small"))
    with qtbot.waitSignal(panel.kernel_selected) as selected:
        qtbot.mouseClick(panel.plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert selected.args == ["small"]
    before = panel.plot.grab().toImage().pixelColor(place)
    with qtbot.assertNotEmitted(panel.kernel_selected):
        panel.select("small")
        qtbot.mouseClick(panel.plot.viewport(), Qt.MouseButton.LeftButton, pos=place + QPoint(0, -60))
    after = panel.plot.grab().toImage().pixelColor(place)
    assert before != after
    assert after.blue() - after.red() > before.blue() - before.red() + 50


def test_it_is_empty_without_kernels(panel: RooflinePanel) -> None:
    panel.show_table(None)
    assert panel.shown_kernels == ()
    panel.set_theme(DARK)
    panel.show_table(table(replace(KERNELS[0], flops=0.0)))
    panel.grab()
