"""Following instructions through a pass sequence in both directions, and what is told of them."""

from __future__ import annotations

import pickle

import pytest
from lineage_texts import FUSED, FUSED_COMPUTATION, UNFUSED, hlo

from xlaviz.base.errors import XlavizError
from xlaviz.hlo.model import HloModule
from xlaviz.lineage.biography import Chapter
from xlaviz.lineage.first_change import QUESTIONS, first_change
from xlaviz.lineage.patterns import Place
from xlaviz.lineage.sequence import LineageBuilder
from xlaviz.lineage.story import Story, StoryBuilder

COPIED = hlo(
    """
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  fusion.1 = f32[4] fusion(x, y), kind=kLoop, calls=fused
  copy.1 = f32[4] copy(fusion.1)
  ROOT out = (f32[4]) tuple(copy.1)
""",
    FUSED_COMPUTATION,
)


def told(*modules: HloModule) -> Story:
    builder = StoryBuilder()
    for number, module in enumerate(modules):
        builder.add(module, f"pass {number}" if number else "")
    return builder.story


def kinds(story: Story, index: int, name: str) -> list[tuple[int, str, str]]:
    return [(chapter.index, chapter.kind, chapter.what) for chapter in story.biography(index, name)]


HEAD = "  x = f32[4] parameter(0)\n"
END = "  ROOT end = (f32[4]) tuple({})"


def small(*lines: str, out: str) -> HloModule:
    return hlo(HEAD + "".join(f"  {line}\n" for line in lines) + END.format(out))


def test_followed_into_a_fusion_and_out() -> None:
    story = told(UNFUSED, FUSED, COPIED)
    assert story.follow(0, ["exp.1"], 2) == {"exp.2"}
    assert story.follow(0, ["add.1"], 2) == {"add.2", "copy.1"}
    assert story.follow(2, ["mul.2"], 0) == {"mul.1"}
    assert story.follow(2, ["fusion.1"], 1) == {"fusion.1"}
    assert story.follow(2, ["fusion.1"], 0) == {"exp.1", "mul.1", "add.1"}
    assert story.follow(1, ["x", "exp.2"], 1) == {"x", "exp.2"}


def test_a_fusion_that_goes_into_another_is_found_there() -> None:
    inner = "inner {\n  i0 = f32[4] parameter(0)\n  ROOT e.1 = f32[4] exponential(i0)\n}"
    both = "both {\n  b0 = f32[4] parameter(0)\n  e.2 = f32[4] exponential(b0)\n  ROOT s.2 = f32[4] sine(e.2)\n}"
    first = hlo(
        HEAD + "  f = f32[4] fusion(x), kind=kLoop, calls=inner\n  s = f32[4] sine(f)\n" + END.format("s"), inner
    )
    last = hlo(HEAD + "  g = f32[4] fusion(x), kind=kLoop, calls=both\n" + END.format("g"), both)
    story = told(first, last)
    assert story.follow(0, ["f"], 1) == {"g"}
    assert story.follow(1, ["g"], 0) == {"e.1", "s"}


def test_a_fusion_that_was_dissolved_is_what_was_inside() -> None:
    story = told(FUSED, UNFUSED)
    assert story.follow(0, ["fusion.1"], 1) == {"exp.1", "mul.1", "add.1"}


def test_a_dissolved_fusion_is_not_found_in_one_formed_elsewhere() -> None:
    sine = "one {\n  p = f32[4] parameter(0)\n  ROOT s = f32[4] sine(p)\n}"
    tanh = "two {\n  q = f32[4] parameter(0)\n  ROOT h.1 = f32[4] tanh(q)\n}"
    end = "  ROOT end = (f32[4], f32[4]) tuple({})"
    first = hlo(
        HEAD + "  f = f32[4] fusion(x), kind=kLoop, calls=one\n  h = f32[4] tanh(x)\n" + end.format("f, h"), sine
    )
    last = hlo(
        HEAD + "  s = f32[4] sine(x)\n  g = f32[4] fusion(x), kind=kLoop, calls=two\n" + end.format("s, g"), tanh
    )
    assert told(first, last).follow(0, ["f"], 1) == {"s"}


def test_what_was_merged_is_followed_to_its_equal_but_not_back() -> None:
    story = told(small("a = f32[4] sine(x)", "b = f32[4] sine(x)", "s = f32[4] add(a, b)", out="s"),
                 small("a = f32[4] sine(x)", "s = f32[4] add(a, a)", out="s"))  # fmt: skip
    assert story.follow(0, ["b"], 1) == {"a"}
    assert story.follow(1, ["a"], 0) == {"a"}


def test_following_agrees_with_the_lineage() -> None:
    modules = (UNFUSED, FUSED, COPIED)
    builder = LineageBuilder()
    for module in modules:
        builder.add(module)
    story = told(*modules)
    assert story.lineage().origins == builder.lineage.origins
    for name, origins in builder.lineage.origins.items():
        assert story.follow(2, [name], 0) == origins
    for name, descendants in builder.lineage.descendants.items():
        assert story.follow(0, [name], 2) == descendants


def test_a_name_used_again_for_something_else_is_not_followed() -> None:
    first = small("a = f32[4] sine(x)", "b = f32[4] cosine(a)", out="b")
    last = small("a = f32[4] tanh(x)", out="a")
    record = told(first, last).step_to(1)
    assert not record.is_kept("a")


def test_the_builder_reports_each_step() -> None:
    builder = StoryBuilder()
    assert builder.add(UNFUSED) is None
    record = builder.add(FUSED, "fusion")
    assert record is not None
    assert (record.pass_name, record.rewrites, record.opcodes["fusion"]) == ("fusion", 1, 1)
    assert builder.story.last_index == 1


def test_what_is_kept_costs_nothing() -> None:
    record = told(UNFUSED, UNFUSED).step_to(1)
    assert [record.origins, record.merged, record.patterns, record.diff.changes, record.entered] == [{}, {}, (), {}, {}]


def test_a_story_pickles() -> None:
    story = told(UNFUSED, FUSED, COPIED)
    assert story.follow(0, ["exp.1"], 2)  # with its look-up tables made
    assert pickle.loads(pickle.dumps(story)) == story


def test_snapshots_with_a_name() -> None:
    story = told(UNFUSED, FUSED, COPIED, UNFUSED)
    assert story.snapshots_with("exp.1") == (0, 3)
    assert story.snapshots_with("exp.2") == (1, 2)
    assert story.snapshots_with("nothing") == ()


def test_patterns_of_several_steps_have_the_names_of_the_ends() -> None:
    renamed = small("b = f32[4] convert(x)", "s = f32[4] sine(b)", out="s")
    story = told(
        small("a = f32[4] convert(x)", "s = f32[4] sine(a)", out="s"),
        renamed,
        small("s = f32[4] sine(x)", out="s"),
        hlo(HEAD + "  f = f32[4] fusion(x), kind=kLoop, calls=inner\n" + END.format("f"),
            "inner {\n  p = f32[4] parameter(0)\n  ROOT s.2 = f32[4] sine(p)\n}"),
    )  # fmt: skip
    found = {pattern.text: pattern.places for pattern in story.patterns(0, 3)}
    assert found["`convert` removed"] == (Place(("a",), ()),)
    assert found["wrapped into 1 loop fusion"] == (Place(("s",), ("f",)),)
    assert story.patterns(1, 2) == story.step_to(2).patterns


def test_the_life_of_one_that_was_fused() -> None:
    story = told(UNFUSED, FUSED, COPIED)
    expected = (
        Chapter(0, "", "given", (), ("exp.1",)),
        Chapter(1, "pass 1", "fused", ("exp.1",), ("exp.2",), "into fusion.1"),
    )
    for index, name in ((0, "exp.1"), (1, "exp.2"), (2, "exp.2")):
        assert story.biography(index, name) == expected


def test_the_life_of_a_fusion_begins_when_it_is_formed() -> None:
    story = told(UNFUSED, FUSED, COPIED)
    members = ("add.1", "exp.1", "mul.1")
    assert story.biography(2, "fusion.1") == (
        Chapter(1, "pass 1", "created", members, ("fusion.1",), "of 3 instructions"),
    )


def test_copied() -> None:
    story = told(small("a = f32[4] sine(x)", out="a"), small("a = f32[4] sine(x)", "c = f32[4] copy(a)", out="c"))
    assert kinds(story, 0, "a") == [(0, "given", ""), (1, "copied", "")]
    assert kinds(story, 1, "c") == [(0, "given", ""), (1, "copied", "")]


def test_renamed() -> None:
    story = told(small("a = f32[4] sine(x)", out="a"), small("b = f32[4] sine(x)", out="b"))
    assert story.biography(1, "b")[1] == Chapter(1, "pass 1", "cloned", ("a",), ("b",))


def test_rewritten_and_removed() -> None:
    story = told(
        small("two = f32[4] constant({2, 2, 2, 2})", "p = f32[4] power(x, two)", out="p"),
        small("m = f32[4] multiply(x, x)", out="m"),
        small(out="x"),
    )
    first, second = "`power(x, constant)` -> `multiply`", "`multiply` removed"
    assert kinds(story, 0, "p") == [(0, "given", ""), (1, "rewritten", first), (2, "removed", second)]
    assert kinds(story, 1, "m") == kinds(story, 0, "p")
    assert kinds(story, 0, "two") == [(0, "given", ""), (1, "removed", first)]


def test_merged_from_both_sides() -> None:
    story = told(small("a = f32[4] sine(x)", "b = f32[4] sine(x)", "s = f32[4] add(a, b)", out="s"),
                 small("a = f32[4] sine(x)", "s = f32[4] add(a, a)", out="s"))  # fmt: skip
    assert kinds(story, 0, "b") == [(0, "given", ""), (1, "merged", "with its equal a")]
    assert kinds(story, 1, "a") == [(0, "given", ""), (1, "merged", "1 equal into it")]


SUM = "sum {\n  s.a = f32[] parameter(0)\n  s.b = f32[] parameter(1)\n  ROOT s.r = f32[] add(s.a, s.b)\n}"
REDUCE = "  z = f32[] constant(0)\n{window}  ROOT r = f32[] reduce({of}, z), dimensions={{0}}, to_apply=sum"


def test_derived_and_followed_no_further() -> None:
    window = "  w = f32[2] reduce-window(x, z), window={size=2 stride=2}, to_apply=sum\n"
    whole = hlo(HEAD + REDUCE.format(window="", of="x"), SUM)
    split = hlo(HEAD + REDUCE.format(window=window, of="w"), SUM)
    story = told(whole, split, whole)
    assert [(one.kind, one.before, one.after) for one in story.biography(0, "r")] == [
        ("given", (), ("r",)),
        ("derived", ("r",), ("w",)),
        ("changed", ("r",), ("r",)),
        ("changed", ("r",), ("r",)),
    ]
    assert [one.kind for one in story.biography(1, "w")] == ["given", "derived", "removed"]


def test_one_that_swallowed_another_stands_for_it() -> None:
    op = ', metadata={op_name="net/inner"}'
    first = hlo(f"  x = f32[4] parameter(0)\n  a = f32[2,2] reshape(x){op}\n  ROOT r = f32[1,4] reshape(a)")
    last = hlo(f"  x = f32[4] parameter(0)\n  ROOT r = f32[1,4] reshape(x){op}")
    story = told(first, last)
    assert (1, "merged", "it stands for them too") in kinds(story, 1, "r")
    assert story.follow(1, ["r"], 0) == {"a", "r"}
    assert story.follow(0, ["a"], 1) == {"r"}


def test_changed_tells_what() -> None:
    story = told(small("c = f32[4] convert(x)", "s = f32[4] sine(c)", out="s"), small("s = f32[4] sine(x)", out="s"))
    assert kinds(story, 1, "s") == [(0, "given", ""), (1, "changed", "operands")]


def test_duplicated_and_moved() -> None:
    inner = "inner {\n  p = f32[4] parameter(0)\n  ROOT a = f32[4] sine(p)\n}"
    first = small("a = f32[4] sine(x)", "k = f32[4] cosine(a)", "s = f32[4] add(a, k)", out="s")
    call = "  x = f32[4] parameter(0)\n  f = f32[4] call(x), to_apply=inner\n"
    moved = hlo(call + "  k = f32[4] cosine(f)\n  s = f32[4] add(f, k)\n" + END.format("s"), inner)
    assert (1, "fused", "into f") in kinds(told(first, moved), 0, "a")
    twice = small(
        "a = f32[4] sine(x)", "a.2 = f32[4] sine(x)", "k = f32[4] cosine(a.2)", "s = f32[4] add(a, k)", out="s"
    )
    assert (1, "duplicated", "in 2 places") in kinds(told(first, twice), 0, "a")


def test_created() -> None:
    story = told(small(out="x"), small("m = u32[] constant(7)", out="x"))
    assert kinds(story, 1, "m") == [(1, "created", "`constant` inserted")]


LAID = "a = f32[4,2]{layout} broadcast(x), dimensions={{0}}"


@pytest.fixture(scope="module")
def story() -> Story:
    """convert goes in step 1, sine is fused in step 2, its fusion is copied in step 3."""
    fused = "inner {\n  p = f32[4] parameter(0)\n  ROOT s.2 = f32[4] sine(p)\n}"
    fusion = HEAD + "  f = f32[4] fusion(x), kind=kLoop, calls=inner\n"
    return told(
        small("c = f32[4] convert(x)", "s = f32[4] sine(c)", out="s"),
        small("s = f32[4] sine(x)", out="s"),
        hlo(fusion + END.format("f"), fused),
        hlo(fusion + "  k = f32[4] copy(f)\n" + END.format("k"), fused),
    )


@pytest.mark.parametrize(
    ("question", "index"),
    [
        ("opcode:convert shrinks", 1),
        ("opcode:convert count changes", 1),
        ("count of opcode convert disappears", 1),
        ("opcode:copy grows", 3),
        ("opcode:copy count grows", 3),
        ("opcode:copy appears", 3),
        ("opcode:dot grows", None),
        ("instructions grow", 2),
        ("instruction count shrinks", 1),
        ("%c disappears", 1),
        ("c disappears?", 1),
        ("operands of %s change", 1),
        ("operands of s changes", 1),
        ("%s changes", 1),
        ("%s is fused", 2),
        ("%s disappears", None),
        ("layout of %s changes", None),
        ("%s is duplicated", None),
        ("%s is merged", None),
        ("%c is rewritten", None),
        ("%s is moved", None),
    ],
)
def test_first_change(story: Story, question: str, index: int | None) -> None:
    assert first_change(story, question) == index


def test_first_change_from_a_snapshot_on(story: Story) -> None:
    assert first_change(story, "%s changes", 1) is None
    assert first_change(story, "instructions change", 2) == 3
    assert first_change(story, "%s.2 is fused", 2) is None


def test_a_layout_changes_under_another_name() -> None:
    def laid(name: str, layout: str) -> HloModule:
        return hlo(
            f"  x = f32[4] parameter(0)\n  {name} = f32[4,2]{layout} broadcast(x), dimensions={{0}}\n"
            f"  ROOT end = (f32[4,2]) tuple({name})"
        )

    kept = told(laid("a", "{1,0}"), laid("a", "{1,0}"), laid("a", "{0,1}"))
    renamed = told(laid("a", "{1,0}"), laid("b", "{1,0}"), laid("c", "{0,1}"))
    assert first_change(kept, "layout of %a changes") == first_change(renamed, "layout of %a changes") == 2
    assert kinds(renamed, 0, "a")[-1] == (2, "changed", "layout")


@pytest.mark.parametrize("question", ["", "why?", "opcode:add sings", "%x is happy", "layout of %x", "a b c d"])
def test_what_is_no_question(story: Story, question: str) -> None:
    with pytest.raises(XlavizError, match="no question"):
        first_change(story, question)


def test_an_unknown_instruction(story: Story) -> None:
    with pytest.raises(XlavizError, match="no instruction 'nix'"):
        first_change(story, "%nix disappears")


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_offered_is_understood(story: Story, question: str) -> None:
    assert first_change(story, question) is None or first_change(story, question)
