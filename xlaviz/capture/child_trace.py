"""Where each TensorFlow op was made: the user's lines, and the text of the files they are in."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from child_errors import Frame, is_user_file, library_of  # type: ignore[import-not-found]

MOST_FRAMES = 8
LARGEST_SOURCE = 1 << 20

# The ops that call functions, and the attributes that name those.
_CALLS = dict.fromkeys(("PartitionedCall", "StatefulPartitionedCall"), ("f",))
_BODIES = {
    **dict.fromkeys(("While", "StatelessWhile"), ("body", "cond")),
    **dict.fromkeys(("If", "StatelessIf"), ("then_branch", "else_branch")),
    **dict.fromkeys(("Case", "StatelessCase"), ("branches",)),
}


class Tracebacks:
    """Stacks of the user's frames, innermost first, each frame and each stack stored once."""

    def __init__(self) -> None:
        self.frames: dict[Frame, int] = {}
        self.stacks: dict[tuple[int, ...], int] = {}
        self.ops: dict[str, int] = {}

    def add(self, name: str, stack: list[Frame]) -> None:
        """Note where the op of this name was made, innermost frame first. The first of two ops of one name stays."""
        frames = tuple(self.frames.setdefault(frame, len(self.frames)) for frame in stack)
        self.ops.setdefault(name, self.stacks.setdefault(frames, len(self.stacks)))

    def to_json(self) -> dict[str, Any]:
        """The content of tracebacks.json: `ops` gives a stack's number, a stack gives the numbers of its frames.

        A frame is [file, line, function, folded], see `Frame`.
        """
        return {
            "version": 1,
            "frames": [list(frame) for frame in self.frames],
            "stacks": [list(stack) for stack in self.stacks],
            "ops": self.ops,
        }

    def files(self) -> list[str]:
        """The user's files, in the order in which they were met."""
        return list(dict.fromkeys(frame.file for frame in self.frames))


def tracebacks(*graphs: Any) -> Tracebacks:
    """The stacks of all ops of the graphs and of the functions in them, by the names that HLO's `op_name` gives them.

    XLA joins the names of the calls that lead to an op: `PartitionedCall/dense/MatMul`. The bodies of loops and
    conditionals start anew: `while/MatMul` whatever function the loop is in. Of two ops of one name that of the first
    graph counts.
    """
    found = Tracebacks()
    for graph in graphs:
        for name, op in _ops(graph, "", set()):
            # A SavedModel's ops have no traceback.
            if name not in found.ops and (stack := folded(op.traceback or ())):
                found.add(name, stack)
    return found


def folded(stack: Sequence[Any]) -> list[Frame]:
    """The user's innermost frames of a stack (entries with filename, lineno and name, outermost first), innermost
    first, each with the number of library frames that it called.
    """
    frames: list[Frame] = []
    libraries: list[str] = []
    for entry in reversed(stack):
        if is_user_file(entry.filename):
            # A folder that was put on sys.path as `../lib` leaves the dots in the names of its files.
            file = os.path.abspath(entry.filename)
            frames.append(Frame(file, entry.lineno or 0, entry.name, _label(libraries)))
            libraries = []
            if len(frames) == MOST_FRAMES:
                break
        elif library := library_of(entry.filename):
            libraries.append(library)
    return frames


def _label(libraries: list[str]) -> str:
    """`keras, tensorflow · 31 frames`: the packages from the outermost in, and the frames of all of them."""
    if not libraries:
        return ""
    names = ", ".join(dict.fromkeys(reversed(libraries)))
    return f"{names} · {len(libraries)} frame{'s' if len(libraries) > 1 else ''}"


def _ops(graph: Any, prefix: str, entered: set[tuple[str, str]]) -> Iterator[tuple[str, Any]]:
    for op in graph.get_operations():
        name = prefix + op.name
        yield name, op
        inner_prefix = f"{name}/" if op.type in _CALLS else ""
        for inner in _functions(graph, op):
            if (inner_prefix, inner.name) not in entered:
                entered.add((inner_prefix, inner.name))
                yield from _ops(inner, inner_prefix, entered)


def _functions(graph: Any, op: Any) -> Iterator[Any]:
    """The graphs of the functions that an op calls."""
    for attribute in _CALLS.get(op.type) or _BODIES.get(op.type) or ():
        value = op.node_def.attr[attribute]
        for name in [value.func.name, *(item.name for item in value.list.func)]:
            # The only way from a name to a traced graph; a function without one (restored, C++) has no tracebacks.
            function = graph._get_function(name) if name else None
            inner = getattr(function, "graph", None)
            if inner is not None:
                yield inner


def read_sources(files: list[str]) -> list[tuple[str, str, bytes]]:
    """(member, path, text) of each file that can be read; a file over 1 MiB is left out."""
    sources = []
    for number, path in enumerate(files):
        try:
            if os.path.getsize(path) > LARGEST_SOURCE:
                continue
            with open(path, "rb") as file:
                sources.append((f"source/{number}_{os.path.basename(path)}", path, file.read()))
        except OSError:
            continue
    return sources
