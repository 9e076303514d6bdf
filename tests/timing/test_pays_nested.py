"""A pass that runs a pipeline of its name is not counted on top of it."""

from __future__ import annotations

from xlaviz.timing.pays_compile import PassTime, without_nested


def test_what_a_pipeline_took_is_taken_off_the_pass_that_ran_it() -> None:
    passes = [
        PassTime("HLO passes", "simplification", 30.0),
        PassTime("simplification", "algsimp", 15.0),
        PassTime("simplification", "dce", 5.0),
        PassTime("HLO passes", "simplification", 10.0),
        PassTime("HLO passes", "fusion", 7.0),
    ]
    found = without_nested(passes)
    assert [(one.name, one.time_ms) for one in found] == [
        ("simplification", 15.0),
        ("algsimp", 15.0),
        ("dce", 5.0),
        ("simplification", 5.0),
        ("fusion", 7.0),
    ]
    assert sum(one.time_ms for one in found) == 47.0


def test_names_of_dumps_and_of_profiles_are_the_same() -> None:
    passes = [PassTime("a", "copy_insertion", 4.0), PassTime("copy-insertion", "adding copies", 5.0)]
    assert [one.name for one in without_nested(passes)] == ["adding copies"]


def test_rounds_of_a_pipeline_are_no_pass_around_it() -> None:
    passes = [PassTime("simplification", "simplification", 4.0), PassTime("simplification", "dce", 1.0)]
    assert without_nested(passes) == passes
