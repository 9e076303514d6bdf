"""What a tree shows, as lines of text."""

from __future__ import annotations

from PySide6.QtWidgets import QTreeWidgetItem


def rows(item: QTreeWidgetItem, depth: int = 0) -> list[str]:
    found = []
    for number in range(item.childCount()):
        child = item.child(number)
        assert child is not None
        found.append("  " * depth + " | ".join(filter(None, (child.text(column) for column in range(3)))))
        found.extend(rows(child, depth + 1))
    return found
