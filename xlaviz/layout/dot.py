"""Graphviz `dot` as the engine for small flat graphs: a choice of the user's, and the reference for quality."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence

from xlaviz.base.errors import WorkFailedError
from xlaviz.layout.model import Engine, LayoutTooLargeError, LevelInput, LevelPlaces

TIME_LIMIT_S = 2.0
MAX_BOXES = 450
"""Boxes in one flat graph up to which `dot` is tried at all."""

_FULL_QUALITY_BOXES = 260
_POINTS_PER_INCH = 72.0
_COMMON = 'ranksep=0.42; nodesep=0.22; node [shape=box, fixedsize=true, label=""]; edge [tailport=s, headport=n];'
# Settings under which dot stays linear enough for a train step of some hundred instructions, at the price of crossings.
_FAST = "nslimit=1; nslimit1=1; mclimit=0.1; searchsize=5;"


def lay_out_levels(levels: Sequence[LevelInput]) -> list[LevelPlaces]:
    """Place several graphs with one run of `dot`."""
    for level in levels:
        if len(level.sizes) > MAX_BOXES:
            raise LayoutTooLargeError(
                f"This view has {len(level.sizes)} boxes; Graphviz can lay out about {MAX_BOXES}.",
                hint="Close clusters, or select an instruction and show its neighbourhood.",
            )
    text = "\n".join(_dot_source(level) for level in levels)
    answer = _run_dot(text)
    try:
        replies = _parse_plain(answer.splitlines())
        return [_level_places(level, reply) for level, reply in zip(levels, replies, strict=True)]
    except (ValueError, IndexError, KeyError) as error:
        raise WorkFailedError(
            "Graphviz answered what xlaviz cannot read.", hint="Is the dot on the PATH Graphviz's?", detail=answer[:500]
        ) from error


def _run_dot(text: str) -> str:
    program = shutil.which("dot") or shutil.which("graphviz-pure")  # a wheel that brings Graphviz along
    if program is None:
        raise WorkFailedError(
            "Graphviz's dot was not found, so no graph can be laid out.",
            hint="Install it: apt-get install graphviz, brew install graphviz, or from graphviz.org.",
        )
    try:
        done = subprocess.run(
            [program, "-Tplain"],
            input=text,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=TIME_LIMIT_S,
        )
    except OSError as error:
        raise WorkFailedError(
            f"{program} could not be started: {error.strerror}.", hint="Install Graphviz anew."
        ) from error
    except subprocess.TimeoutExpired as error:
        raise LayoutTooLargeError(
            f"Graphviz did not finish this view within {TIME_LIMIT_S:.0f} s.",
            hint="Close clusters, or select an instruction and show its neighbourhood.",
        ) from error
    if done.returncode != 0:
        raise WorkFailedError(
            f"Graphviz failed on this view (exit status {done.returncode}).",
            hint="Close clusters, or select an instruction and show its neighbourhood.",
            detail=done.stderr[-2000:],
        )
    return done.stdout


def _dot_source(level: LevelInput) -> str:
    count = len(level.sizes)
    lines = [f"digraph {{ {_COMMON} {'' if count <= _FULL_QUALITY_BOXES else _FAST}"]
    for index, (width, height) in enumerate(level.sizes):
        lines.append(f"{index} [width={width / _POINTS_PER_INCH:.4f}, height={height / _POINTS_PER_INCH:.4f}]")
    lines.extend(f"{source}->{target}" for source, target in level.edges)
    if level.ports:
        lines.append(f"{{rank=source; {' '.join(map(str, level.ports))}}}")
    lines.append("}")
    return "\n".join(lines)


_Reply = tuple[tuple[float, float], dict[int, tuple[float, float]], dict[tuple[int, int], list[tuple[float, float]]]]


def _parse_plain(lines: Iterable[str]) -> Iterator[_Reply]:
    """Graphs of `dot -Tplain`: size, centres, edge points; inches, y up."""
    size = (0.0, 0.0)
    centres: dict[int, tuple[float, float]] = {}
    routes: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for line in lines:
        words = line.split()
        match words[0] if words else "":
            case "graph":
                size, centres, routes = (float(words[2]), float(words[3])), {}, {}
            case "node":
                centres[int(words[1])] = (float(words[2]), float(words[3]))
            case "edge":
                numbers = [float(word) for word in words[4 : 4 + 2 * int(words[3])]]
                routes[int(words[1]), int(words[2])] = list(zip(numbers[::2], numbers[1::2], strict=True))
            case "stop":
                yield size, centres, routes


def _level_places(level: LevelInput, reply: _Reply) -> LevelPlaces:
    (width, height), centres, routes = reply

    def pixels(point: tuple[float, float]) -> tuple[float, float]:
        return point[0] * _POINTS_PER_INCH, (height - point[1]) * _POINTS_PER_INCH

    return LevelPlaces(
        centres=tuple(pixels(centres[index]) for index in range(len(level.sizes))),
        routes=tuple(tuple(map(pixels, routes.get(edge, ()))) for edge in level.edges),
        width=width * _POINTS_PER_INCH,
        height=height * _POINTS_PER_INCH,
    )


DOT = Engine("Graphviz", lay_out_levels, places_ends=False)
