"""Small CPU profiles of a chain and of a loop, and what is read from them."""

from __future__ import annotations

from profile_builder import SpaceBuilder, hlo_module

from xlaviz.profile.kernels import Kernel, KernelTable, kernel_table
from xlaviz.profile.profile import Profile, read_profile

CHAIN = {
    "main": [
        ("x", "parameter", (), ()),
        ("dot.1", "dot", ("x",), ()),
        ("pack", "tuple", ("dot.1",), ()),
        ("part", "get-tuple-element", ("pack",), ()),
        ("add.2", "fusion", ("part",), ()),
        ("copy.3", "copy", ("x",), ()),
        ("out", "tuple", ("add.2", "copy.3"), ()),
    ]
}
LOOP = {
    "body": [("b", "parameter", (), ()), ("dot.1", "dot", ("b",), ())],
    "condition": [("c", "parameter", (), ()), ("less.1", "fusion", ("c",), ())],
    "main": [
        ("x", "parameter", (), ()),
        ("while.1", "while", ("x",), ("body", "condition")),
        ("add.2", "fusion", ("while.1",), ()),
    ],
}


def build(computations: dict | None = None, *, partitioned: tuple[str, ...] = ()) -> SpaceBuilder:
    builder = SpaceBuilder()
    builder.embed(hlo_module(computations or CHAIN, partitioned=partitioned))
    return builder


def read(builder: SpaceBuilder) -> Profile:
    return read_profile(builder.serialized(), file="a.xplane.pb")


def times(profile: Profile) -> list[tuple[str, int, int, bool]]:
    """Events as (name, start, end, exact), in nanoseconds from the line's start."""
    return [(e.hlo_op, e.start_ps // 1000 - 1000, e.end_ps // 1000 - 1000, e.exact) for e in profile.events]


def table(profile: Profile) -> KernelTable:
    program_id = profile.main_program()
    return kernel_table(profile, program_id, profile.modules[program_id])


def kernel(found: KernelTable, name: str) -> Kernel:
    return next(kernel for kernel in found.kernels if kernel.name == name)
