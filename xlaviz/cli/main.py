"""The command line. Without a command it opens the window."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from xlaviz import __version__
from xlaviz.base.errors import XlavizError

_EPILOG = "xlaviz PATH opens a bundle, a dump folder or an HLO file in the window; xlaviz alone opens an empty window."


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and leave with its status: 0, 1 (the work failed) or 2 (the input or the call is wrong)."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its status; an error is one sentence on the error stream."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal or a pipe may know no µ
        sys.stdout.reconfigure(errors="replace")
    try:
        status = _run_command(arguments)
        sys.stdout.flush()
        return status
    except XlavizError as error:
        print(f"xlaviz: {error}", file=sys.stderr)
        if error.detail:
            print(error.detail.rstrip(), file=sys.stderr)
        return error.exit_status
    except KeyboardInterrupt:
        print("xlaviz: stopped", file=sys.stderr)
        return 1
    except BrokenPipeError:  # `xlaviz info … | head` is no failure
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run_command(arguments: Sequence[str]) -> int:
    try:
        options = _parser().parse_args(_with_command(arguments))
    except SystemExit as stop:  # --help and --version have said what they say
        return int(stop.code or 0)
    return _COMMANDS[options.command].run(options)


def _with_command(arguments: Sequence[str]) -> Sequence[str]:
    """What is no command is a path to open; nothing opens the empty window."""
    if not arguments or (arguments[0] not in _COMMANDS and not arguments[0].startswith("-")):
        return ["open", *arguments]
    return arguments


class _Parser(argparse.ArgumentParser):
    """Wrong arguments are an error like any other: one sentence."""

    def error(self, message: str) -> NoReturn:
        raise XlavizError(f"{message}.", hint=f"See {self.prog} --help.")


class _Command:
    """A command: what it does in a line, its arguments, and the function behind it, imported when it is called."""

    def __init__(
        self, help_text: str, add: Callable[[argparse.ArgumentParser], object], run: Callable[[argparse.Namespace], int]
    ) -> None:
        self.help_text, self.add, self.run = help_text, add, run


def _open(options: argparse.Namespace) -> int:
    from xlaviz.cli.window import open_window

    return open_window(options.paths)


def _demo(options: argparse.Namespace) -> int:
    from xlaviz.cli.demo import demo

    return demo(options.example, options.out, options.python)


def _capture(options: argparse.Namespace) -> int:
    from xlaviz.cli.capture import capture

    return capture(options)


def _info(options: argparse.Namespace) -> int:
    from xlaviz.cli.tables import info

    return info(options.path, as_json=options.json)


def _print(options: argparse.Namespace) -> int:
    from xlaviz.cli.tables import print_hlo

    return print_hlo(options.path, options.module, options.snapshot)


def _kernels(options: argparse.Namespace) -> int:
    from xlaviz.cli.kernels import Form, kernels

    if options.csv and options.json:
        raise XlavizError("--csv and --json do not go together.", hint="Choose one of them.")
    form: Form = "csv" if options.csv else "json" if options.json else "text"
    return kernels(options.path, options.module, by=options.by, form=form, device=options.device)


def _report(options: argparse.Namespace) -> int:
    from xlaviz.cli.kernels import report

    return report(options.path, options.module, as_json=options.json)


def _passes(options: argparse.Namespace) -> int:
    from xlaviz.cli.stories import passes

    return passes(options.path, options.module, as_json=options.json)


def _diff(options: argparse.Namespace) -> int:
    from xlaviz.cli.stories import diff

    return diff(options.path, options.module, options.left, options.right, as_json=options.json)


def _history(options: argparse.Namespace) -> int:
    from xlaviz.cli.stories import history

    return history(options.path, options.module, options.instruction, as_json=options.json)


def _origins(options: argparse.Namespace) -> int:
    from xlaviz.cli.stories import origins

    return origins(options.path, options.module, as_json=options.json)


def _export(options: argparse.Namespace) -> int:
    from xlaviz.cli.export import export

    return export(options)


def _add_open(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="bundle, dump folder or HLO file")


def _add_demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--example", default="train_step", choices=("matmul", "dense_layer", "train_step"))
    parser.add_argument("--out", type=Path, help="write bundle, pictures and graphs to this folder; open no window")
    parser.add_argument("--python", help="the Python that has TensorFlow (default: this one)")


def _add_capture(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", help="FILE.py:FUNCTION (also model, layer, model.call), or a SavedModel folder")
    parser.add_argument("-o", "--out", type=Path, help="the bundle to write (default: FUNCTION.xlaviz)")
    parser.add_argument("--arg", action="append", default=[], metavar="SPEC", help="an input, as f32[32,784]; in order")
    parser.add_argument("--runs", type=int, default=30, help="runs to profile (default: 30)")
    parser.add_argument("--warmups", type=int, default=3, help="calls before them (default: 3)")
    parser.add_argument("--exact", action="store_true", help="one thread, so that the end of each kernel is exact")
    parser.add_argument("--python", help="the Python that has TensorFlow (default: this one)")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def _add_path(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, metavar="PATH", help="bundle, dump folder or HLO file")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _add_print(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, metavar="PATH", help="bundle, dump folder, HLO file or profile")
    parser.add_argument("--module", help="name or id of the module (default: the captured one)")
    parser.add_argument("--pass", dest="snapshot", metavar="N", help="snapshot N as info counts them, before or after")


def _add_module(parser: argparse.ArgumentParser) -> None:
    _add_path(parser)
    parser.add_argument("--module", help="name or id of the module, with @HOST or @RUN (default: the captured one)")


def _add_kernels(parser: argparse.ArgumentParser) -> None:
    _add_module(parser)
    parser.add_argument("--csv", action="store_true", help="print CSV")
    parser.add_argument("--by", choices=("kernel", "op", "layer", "line"), default="kernel", help="what to add up")
    parser.add_argument("--device", default="", help="one device's kernels alone, as /device:GPU:0")


def _add_diff(parser: argparse.ArgumentParser) -> None:
    _add_module(parser)
    parser.add_argument("left", metavar="A", help="a snapshot by its number in passes, or before, after")
    parser.add_argument("right", metavar="B", help="the snapshot to compare it with")


def _add_history(parser: argparse.ArgumentParser) -> None:
    _add_module(parser)
    parser.add_argument("instruction", metavar="INSTRUCTION", help="its name in any snapshot")


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, metavar="PATH", help="bundle, dump folder or HLO file")
    parser.add_argument("--view", default="after", help="before, after, pass:N or side-by-side (default: after)")
    parser.add_argument("-o", "--out", type=Path, required=True, help="a .svg, .png, .pdf or .dot file")
    parser.add_argument("--module", help="name or id of the module (default: the captured one)")
    parser.add_argument("--open", choices=("default", "all", "none"), default="default", help="which clusters are open")
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--heat", action="store_true", help="colour the boxes by their time")


_COMMANDS = {
    "open": _Command("open the window", _add_open, _open),
    "demo": _Command("capture an example and open it", _add_demo, _demo),
    "capture": _Command("run a tf.function and write what XLA did to it into a bundle", _add_capture, _capture),
    "info": _Command("list modules and snapshots", _add_path, _info),
    "print": _Command("write a snapshot as HLO text", _add_print, _print),
    "passes": _Command("list what each pass did", _add_module, _passes),
    "diff": _Command("compare two snapshots of a module", _add_diff, _diff),
    "history": _Command("tell what became of an instruction", _add_history, _history),
    "origins": _Command("list where the final instructions come from", _add_module, _origins),
    "kernels": _Command("print the times of kernels, ops, layers or lines", _add_kernels, _kernels),
    "report": _Command("tell whether XLA pays", _add_module, _report),
    "export": _Command("write a graph as SVG, PNG, PDF or DOT", _add_export, _export),
}


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="xlaviz", description="What XLA did to a tf.function.", epilog=_EPILOG)
    parser.add_argument("--version", action="version", version=f"xlaviz {__version__}")
    parser.set_defaults(command="open", paths=[])
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in _COMMANDS.items():
        command.add(commands.add_parser(name, help=command.help_text, description=command.help_text))
    return parser
