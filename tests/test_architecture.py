"""The layers as design and README tell them: who imports whom, and what loads neither Qt nor TensorFlow."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "xlaviz"
PURE = ["base", "hlo", "dumps", "profile", "lineage", "graph", "layout", "capture"]


def modules(layer: str) -> list[str]:
    """Every module of a layer, the capture child's scripts left out: they are run, never imported."""
    files = sorted((PACKAGE / layer).rglob("*.py"))
    names = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files if file.stem != "__init__"]
    return [name for name in names if not name.startswith("xlaviz.capture.child") or name.endswith("child_spec")]


def loaded_by(code: str) -> set[str]:
    """Top-level packages in a fresh Python after `code`."""
    report = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split("\n")[-2].split())


def test_the_contracts_hold() -> None:
    program = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("layer", PURE)
def test_a_pure_layer_loads_no_qt_and_no_tensorflow(layer: str) -> None:
    loaded = loaded_by("\n".join(f"import {name}" for name in modules(layer)))
    assert "xlaviz" in loaded
    assert not loaded & {"PySide6", "pyqtgraph", "tensorflow", "keras"}


def test_the_window_loads_no_tensorflow() -> None:
    loaded = loaded_by("import xlaviz.ui.main_window, xlaviz.cli.gallery")
    assert {"PySide6", "pyqtgraph"} <= loaded
    assert not loaded & {"tensorflow", "keras"}


@pytest.mark.parametrize("command", [["info"], ["kernels"], ["info", "--json"]])
def test_tables_load_no_qt(command: list[str], matmul_bundle: Path) -> None:
    loaded = loaded_by(f"from xlaviz.cli.main import run; assert run({[*command, str(matmul_bundle)]}) == 0")
    assert "xlaviz" in loaded
    assert not loaded & {"PySide6", "pyqtgraph", "tensorflow"}


def test_help_loads_next_to_nothing() -> None:
    code = "from xlaviz.cli.main import run\ntry: run(['--help'])\nexcept SystemExit: pass"
    assert not loaded_by(code) & {"PySide6", "numpy", "google", "tensorflow"}


def imports(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def test_the_capture_child_imports_nothing_of_xlaviz_and_is_imported_by_nobody() -> None:
    """It runs under a foreign Python that has TensorFlow and no xlaviz. What reads specs and times calls is shared."""
    children = sorted((PACKAGE / "capture").glob("child*.py"))
    assert PACKAGE / "capture" / "child.py" in children
    for child in children:
        assert not {name for name in imports(child) if name.partition(".")[0] == "xlaviz"}, child
    shared = {"xlaviz.capture.child_spec", "xlaviz.capture.child_peaks"}
    private = {f"xlaviz.capture.{child.stem}" for child in children} - shared
    for file in set(PACKAGE.rglob("*.py")) - set(children):
        assert not imports(file) & private, file


def test_every_package_is_in_the_wheel() -> None:
    """The list in pyproject.toml is written by hand, since the assets lie outside the package."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]
    there = {".".join(file.parent.relative_to(ROOT).parts) for file in (ROOT / "xlaviz").rglob("__init__.py")}
    assert there == {name for name in listed if not name.startswith("xlaviz.assets")}
