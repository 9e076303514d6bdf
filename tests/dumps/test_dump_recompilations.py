"""One function compiled for several shapes."""

from __future__ import annotations

import pytest
from helpers.modules import entry_of

from xlaviz.dumps.recompilations import base_name, differing_shapes, groups, parameter_shapes
from xlaviz.dumps.sequence import pass_sequences


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("jit_f", "jit_f"),
        ("SyncTensorsGraph.6428", "SyncTensorsGraph"),
        ("a_inference_foo_16__XlaMustCompile_true_.13", "a_inference_foo_16__XlaMustCompile_true_"),
        ("IrToHlo.3979", "IrToHlo"),
        ("12", "12"),
    ],
)  # fmt: skip
def test_base_names(name: str, base: str) -> None:
    assert base_name(name) == base


def test_modules_of_one_function_stand_together() -> None:
    names = [f"module_{id_:04d}.{name}.before_optimizations.txt" for id_, name in enumerate(("f", "g", "f.3", "f"))]
    assert [[one.id for one in group] for group in groups(pass_sequences(names))] == [[0, 2, 3], [1]]


def test_what_differs_is_named() -> None:
    modules = [
        entry_of(f"x = f32[2,{width}] parameter(0)", f"y = f32[{width},2] parameter(1)", "z = s32[] parameter(2)")
        for width in (3, 4)
    ]
    shapes = {place: parameter_shapes(module) for place, module in enumerate(modules)}
    assert shapes[0] == ("f32[2,3]", "f32[3,2]", "s32[]")
    assert differing_shapes(shapes) == {0: "arg0 f32[2,3], arg1 f32[3,2]", 1: "arg0 f32[2,4], arg1 f32[4,2]"}


def test_the_same_shapes_differ_in_nothing() -> None:
    assert differing_shapes({0: ("f32[2]",), 1: ("f32[2]",)}) == {0: "", 1: ""}


def test_another_number_of_parameters() -> None:
    assert differing_shapes({0: ("f32[2]",), 1: ()}) == {0: "1 parameters", 1: "0 parameters"}
