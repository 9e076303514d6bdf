"""The search field: what each term finds, and what it says of a bad one."""

from __future__ import annotations

import pytest
from helpers.modules import module_of

from xlaviz.base.errors import XlavizError
from xlaviz.graph.search import find, parse_query

MODULE = module_of("""
fused_dense { p0 = f32[8] parameter(0)
  ROOT inner_add = f32[8] add(p0, p0), metadata={op_name="model/Dense/Add"} }
ENTRY main { x = f32[8] parameter(0)
  table = bf16[1024,1024] parameter(1)
  neg = f32[8] negate(x), metadata={op_name="model/Norm/Neg" source_file="/home/me/step.py" source_line=27}
  wide = bf16[1024,1024] tanh(table), metadata={op_name="model/Dense/Tanh"}
  fusion.1 = f32[8] fusion(neg), kind=kLoop, calls=fused_dense
  sum = f32[8] add(fusion.1, neg)
  more = f32[8] multiply(sum, neg)
  ROOT add.dep = (f32[8], bf16[1024,1024]) tuple(more, wide) }""")
TIMES = {"fusion.1": 90.0, "sum": 8.0, "more": 2.0}
SOURCES = {"model/Dense/Tanh": "/home/me/layers.py:5"}


def found(text: str) -> str:
    return " ".join(find(MODULE, parse_query(text), times=TIMES, sources=SOURCES))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ""),
        ("neg", "neg"),
        ("NEG", "neg"),
        ("bf16", "table wide add.dep"),
        ("norm", "neg"),
        ("step.py", "neg"),
        ("step.py:27", "neg"),
        ("layers.py:5", "wide"),
        ("dense tanh", "wide"),
        ("/^(sum|more)$/", "sum more"),
        ("/1024,\\d+/ tanh", "wide"),
        ("opcode:add", "inner_add sum"),
        ("opcode:add*", "inner_add sum"),
        ("opcode:/^t/", "wide add.dep"),
        ("name:add", "inner_add add.dep"),
        ("op:dense", "inner_add wide"),
        ("comp:fused", "p0 inner_add"),
        ("shape:f32[8] opcode:negate", "neg"),
        ("file:step.py", "neg"),
        ("line:27", "neg"),
        ("line:2", ""),
        ("time>5%", "fusion.1 sum"),
        ("time>10us", "fusion.1"),
        ("time<=2us", "more"),
        ("time>0.05ms", "fusion.1"),
        ("users>2", "neg"),
        ("users=0 -opcode:add", "add.dep"),
        ("operands>1", "inner_add sum more add.dep"),
        ("operands:1 shape:bf16", "wide"),
        ("bytes>1M", "table wide add.dep"),
        ("bytes>1mb -opcode:parameter -opcode:tuple", "wide"),
        ("op:dense -tanh", "inner_add"),
        ('"model/norm"', "neg"),
        ('op:"norm/neg"', "neg"),
        ("-/./", ""),
    ],
)
def test_what_a_query_finds(text: str, names: str) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("opcde:add", "no field 'opcde:'"),
        ("opcode>add", "compares nothing that is a number"),
        ("time>much", "'much' is no number for 'time'"),
        ("users>5%", "'5%' is no number for 'users'"),
        ("/(/", "is no regular expression"),
        ('"open', "is not closed"),
        ("line:x", "'x' is no line"),
    ],
)
def test_a_bad_query_is_refused_in_one_sentence(text: str, says: str) -> None:
    with pytest.raises(XlavizError, match=says.replace("(", "\\(")) as caught:
        parse_query(text)
    assert caught.value.message.endswith(".")
    assert caught.value.hint


def test_times_are_asked_for_where_none_are_known() -> None:
    with pytest.raises(XlavizError, match="No times are known"):
        find(MODULE, parse_query("time>1us"))


@pytest.mark.parametrize("text", ["users>", "a:", "-", "/", "//", "time>", ":", "a/b/c", "fusion.1,2", "[8]"])
def test_half_typed_and_odd_words_are_words(text: str) -> None:
    assert parse_query(text).terms


def test_a_second_search_finds_the_same() -> None:
    assert found("dense") == found("dense") != ""
