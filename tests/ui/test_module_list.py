"""The list of modules: compilations of one function, what lies beside a module, and files shown as text."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from helpers.driving import open_in, settle
from helpers.trees import rows
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot

from xlaviz.ui.main_window import MainWindow

TEXT = "HloModule {name}\n\nENTRY main {{ x = f32[2,{width}] parameter(0)\n ROOT y = f32[2,{width}] negate(x) }}\n"


@pytest.fixture
def folder(matmul_bundle: Path, tmp_path: Path) -> Path:
    """A dump of three modules, two of them one function for two shapes, with files beside them."""
    with zipfile.ZipFile(matmul_bundle) as bundle:
        bundle.extractall(tmp_path, [name for name in bundle.namelist() if name.startswith("dump/")])
    for id_, width in ((7, 3), (8, 4)):
        name = f"module_{id_:04d}.f"
        (tmp_path / "dump" / f"{name}.before_optimizations.txt").write_text(TEXT.format(name="f", width=width))
        (tmp_path / "dump" / f"{name}.kernel.ir-no-opt.ll").write_text(f"; ir of {width}")
        (tmp_path / "dump" / f"{name}.other.ir-no-opt.ll").write_text("; other")
    (tmp_path / "dump" / "notes.bin").write_bytes(b"\0\1\2")
    return tmp_path / "dump"


def item_of(window: MainWindow, text: str) -> QTreeWidgetItem:
    (found,) = window.pass_list.modules.findItems(text, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive, 0)
    return found


def test_what_is_listed(window: MainWindow, folder: Path, qtbot: QtBot) -> None:
    open_in(window, folder, qtbot)
    first, *others = rows(window.pass_list.modules.invisibleRootItem())
    assert first.endswith(" | 16 | 26")
    assert others == [
        "f · compiled 2 times",
        "  7: arg0 f32[2,3] | 2 | 1",
        "    LLVM IR (2)",
        "      kernel.ir-no-opt.ll",
        "      other.ir-no-opt.ll",
        "  8: arg0 f32[2,4] | 2 | 1",
        "    LLVM IR (2)",
        "      kernel.ir-no-opt.ll",
        "      other.ir-no-opt.ll",
        "other",
    ]


def test_another_module_is_shown(window: MainWindow, folder: Path, qtbot: QtBot) -> None:
    open_in(window, folder, qtbot)
    with qtbot.waitSignal(window.document_shown):
        window.pass_list.modules.setCurrentItem(item_of(window, "8: arg0 f32[2,4]"))
    settle(window, qtbot)
    assert window.session.sequence is not None
    assert window.session.sequence.id == 8
    assert window.panes["left"].isHidden()
    assert window.panes["right"].canvas.graph is not None
    # Its facts are known and stay.
    assert item_of(window, "7: arg0 f32[2,3]").text(1) == "2"


def test_a_file_beside_a_module_is_shown_as_text(window: MainWindow, folder: Path, qtbot: QtBot) -> None:
    open_in(window, folder, qtbot)
    module = item_of(window, "8: arg0 f32[2,4]")
    kind = module.child(0)
    assert kind is not None
    leaf = kind.child(0)
    assert leaf is not None
    with qtbot.waitSignal(window.session.file_read):
        window.pass_list.modules.itemActivated.emit(leaf, 0)
    assert window.bottom.currentWidget() is window.file_view
    assert window.file_view.text.toPlainText() == "; ir of 4"
    assert window.file_view.title.text() == "module_0008.f.kernel.ir-no-opt.ll"


def test_a_file_that_is_no_text_says_what_it_is(window: MainWindow, folder: Path, qtbot: QtBot) -> None:
    open_in(window, folder, qtbot)
    with qtbot.waitSignal(window.session.file_read):
        window.session.read_side_file("notes.bin")
    assert window.file_view.text.toPlainText() == "notes.bin is no text: 3 bytes of other."


def test_a_module_that_cannot_be_read_is_listed_with_the_reason(window: MainWindow, folder: Path, qtbot: QtBot) -> None:
    (folder / "module_0007.f.before_optimizations.txt").write_bytes(b"\0\1\2")
    open_in(window, folder, qtbot)
    assert "  f | ? | 1" in rows(window.pass_list.modules.invisibleRootItem())
    fact = window.session.facts[1]
    assert fact.instructions is None
    assert "module_0007.f.before_optimizations.txt" in fact.problem


def test_a_truncated_file_says_where_it_stopped(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    file = tmp_path / "cut.txt"
    file.write_text("HloModule f\n\nENTRY main {\n  x = f32[2] parameter(0)\n  y = f32[2] negate(x)\n  z = f32[2] ad")
    open_in(window, file, qtbot)
    assert window.panes["right"].strip.isVisible()
    assert "line 6" in window.panes["right"].strip.text()
