"""Asks what a device can do at most, for the roof of the roofline."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QDoubleSpinBox, QFormLayout, QLabel, QWidget

from xlaviz.profile.peaks import NO_PEAKS, Peaks

_MOST = 1e9
"""In GFLOP/s and GB/s: a million times what there is."""


class PeaksDialog(QDialog):
    """`peaks` is what was typed in, NO_PEAKS where nothing was; a field left at zero is not known."""

    def __init__(self, known: Peaks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known = known
        self.setWindowTitle("What the device can do")
        self.flops = _field((known.flops_per_s or 0.0) / 1e9, " GFLOP/s")
        self.bytes = _field((known.bytes_per_s or 0.0) / 1e9, " GB/s")
        self._shown = self._values
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form = QFormLayout(self)
        form.addRow("Arithmetic", self.flops)
        form.addRow("Memory bandwidth", self.bytes)
        source = QLabel(known.source or "The vendor's data sheet has both.")
        source.setWordWrap(True)
        source.setObjectName("muted")
        form.addRow(source)
        form.addRow(buttons)

    @property
    def peaks(self) -> Peaks:
        if self._values == self._shown:
            return self._known
        flops, moved = self._values
        return Peaks(flops * 1e9 or None, moved * 1e9 or None, "typed in") if flops or moved else NO_PEAKS

    @property
    def _values(self) -> tuple[float, float]:
        return self.flops.value(), self.bytes.value()


def _field(value: float, suffix: str) -> QDoubleSpinBox:
    field = QDoubleSpinBox()
    field.setRange(0.0, _MOST)
    field.setDecimals(1)
    field.setSuffix(suffix)
    field.setValue(value)
    return field
