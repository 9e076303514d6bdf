"""Small profiles and dumps of the same programs, made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from profile_builder import SpaceBuilder, hlo_module

COMPUTATIONS = {"main": [("x", "parameter", (), ()), ("dot.1", "custom-call", ("x",), ())]}
TEXT = "HloModule {name}\n\nENTRY main {{\n  x = f32[2] parameter(0)\n  ROOT {op} = f32[2] negate(x)\n}}\n"


def write_profile(
    path: Path, programs: Mapping[int, str], *, without: tuple[int, ...] = (), idle: Mapping[int, str] | None = None
) -> Path:
    """A profile in which each program ran, later ones longer. It lacks the modules of `without`; `idle` are modules
    of programs that did not run."""
    builder = SpaceBuilder()
    for number, (id_, name) in enumerate(programs.items()):
        start = number * 1000
        builder.run(start, start + 100 * (number + 1))
        builder.op("dot.1", start + 10, start + 90 * (number + 1), producer=False, program_id=id_, module=name)
    for id_, name in {**programs, **(idle or {})}.items():
        if id_ not in without:
            builder.embed(hlo_module(COMPUTATIONS, name=name), program_id=id_)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(builder.serialized())
    return path


def write_dump(folder: Path, modules: Mapping[int, str], *, op: str = "dot.1") -> Path:
    """A dump of two snapshots for each module, which is that of a profile unless `op` has another name."""
    folder.mkdir(parents=True, exist_ok=True)
    for id_, name in modules.items():
        for state in ("before_optimizations", "cpu_after_optimizations"):
            (folder / f"module_{id_:04}.{name}.{state}.txt").write_text(TEXT.format(name=name, op=op))
    return folder
