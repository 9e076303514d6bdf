"""Wrong calls and bad input: one sentence on the error stream, the right status, no traceback, no file."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from cli_process import refused, xlaviz

COMMANDS = {
    "info": ["info"],
    "info as JSON": ["info", "--json"],
    "kernels": ["kernels"],
    "export": ["export", "-o", "out.svg"],
}


@pytest.fixture
def inputs(matmul_bundle: Path, tmp_path: Path) -> Path:
    """A folder of bad inputs."""
    real = matmul_bundle.read_bytes()
    (tmp_path / "cut.xlaviz").write_bytes(real[: len(real) // 2])
    (tmp_path / "text.xlaviz").write_text("no bundle")
    (tmp_path / "empty.hlo").write_text("")
    (tmp_path / "letter.txt").write_text("Dear Sir or Madam,\n")
    (tmp_path / "empty folder").mkdir()
    for name, manifest in (("foreign", {"a": 1}), ("newer", {"format": "xlaviz-bundle", "version": 9})):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as bundle:
            bundle.writestr("manifest.json", json.dumps(manifest))
    with zipfile.ZipFile(tmp_path / "escape.zip", "w") as bundle:
        bundle.writestr("../../escape.txt", "x")
    return tmp_path


BAD = {
    "missing.xlaviz": "does not exist|No such file",
    "cut.xlaviz": "is not an xlaviz bundle, or is cut short",
    "text.xlaviz": "is not an xlaviz bundle",
    "empty.hlo": "is empty",
    "letter.txt": "letter.txt:1:1: expected an instruction",
    "empty folder": "holds no HLO dump",
    "foreign.zip": "no xlaviz bundle",
    "newer.zip": "version 9",
    "escape.zip": "unsafe name",
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("command", ["info", "info as JSON", "kernels", "export"])
def test_bad_input(command: str, name: str, inputs: Path) -> None:
    shown = 2 if name == "letter.txt" else 0  # the line that cannot be read, and a mark below it
    sentence = refused(*COMMANDS[command], name, cwd=inputs, details=shown)
    assert any(words in sentence for words in BAD[name].split("|"))
    assert name in sentence
    assert not (inputs / "out.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["info"], "the following arguments are required: PATH. See xlaviz info --help."),
        (["--bogus"], "unrecognized arguments: --bogus. See xlaviz --help."),
        (["info", "a", "b"], "unrecognized arguments: b."),
        (["inf0"], "inf0 does not exist."),
        (["capture"], "the following arguments are required: target."),
        (["capture", "no.py:f"], "no.py"),
        (["capture", "no.py"], "does not say what to capture"),
        (["capture", "no.py:f", "--runs", "many"], "invalid int value: 'many'"),
        (["demo", "--example", "mnist"], "invalid choice: 'mnist'"),
    ],
)
def test_wrong_calls(arguments: list[str], words: str, tmp_path: Path) -> None:
    assert words in refused(*arguments, cwd=tmp_path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--view", "middle", "-o", "x.svg"], "'middle' is no view. Views: before, after, pass:N, side-by-side."),
        (["--view", "pass:-1", "-o", "x.svg"], "'pass:-1' is no view."),
        (["--view", "pass:26", "-o", "x.svg"], "no snapshot 26. The last one is pass:25."),
        (["-o", "x.gif"], "'x.gif' does not end in a format xlaviz writes. Formats: svg, png, pdf, dot."),
        (["-o", "x"], "'x' does not end in a format"),
        (["-o", "no/such/x.svg"], "The folder no/such does not exist."),
        (["-o", "x.svg", "--open", "some"], "invalid choice: 'some'"),
        (["-o", "x.svg", "--module", "zzz"], "'zzz' is no module of"),
        ([], "the following arguments are required: -o/--out."),
    ],
)
def test_wrong_exports(arguments: list[str], words: str, matmul_bundle: Path, tmp_path: Path) -> None:
    assert words in refused("export", matmul_bundle, *arguments, cwd=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["svg", "png", "pdf", "dot"])
def test_a_place_that_takes_no_file(ending: str, matmul_bundle: Path, tmp_path: Path) -> None:
    (tmp_path / f"taken.{ending}").mkdir()
    sentence = refused("export", matmul_bundle, "-o", f"taken.{ending}", status=1, cwd=tmp_path)
    assert f"taken.{ending} cannot be written" in sentence
    assert [path.name for path in tmp_path.iterdir()] == [f"taken.{ending}"]


def test_an_export_needs_no_graphviz(matmul_bundle: Path, tmp_path: Path) -> None:
    ran = xlaviz("export", matmul_bundle, "-o", "x.svg", cwd=tmp_path, variables={"PATH": str(tmp_path)})
    assert (ran.status, ran.out, ran.err) == (0, "x.svg\n", "")


def test_kernels_of_what_has_no_profile(tmp_path: Path) -> None:
    path = tmp_path / "f.hlo"
    path.write_text("HloModule f\n\nENTRY main { ROOT x = f32[] parameter(0) }\n")
    assert refused("kernels", path) == f"{path} has no profile of f. xlaviz capture records one."


@pytest.mark.parametrize("paths", [0, 1])
def test_the_window_without_a_display(paths: int, matmul_bundle: Path) -> None:
    sentence = refused(*[matmul_bundle][:paths], status=1)
    assert sentence.startswith("There is no display to open a window on. xlaviz export, info and kernels work without")


def test_the_window_on_a_display_that_is_not_there(matmul_bundle: Path) -> None:
    """Qt would abort the process; whether it misses the display or a library depends on the machine."""
    ran = xlaviz(matmul_bundle, variables={"DISPLAY": ":12345", "QT_QPA_PLATFORM": "xcb"})
    assert (ran.status, ran.out) == (1, "")
    assert "xlaviz: Qt cannot open a window on this display." in ran.err
    assert "Traceback" not in ran.err
