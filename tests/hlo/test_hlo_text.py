"""The forms HLO text takes: what stands round modules, headers, computations, instructions."""

from __future__ import annotations

import pytest

from xlaviz.hlo.errors import HloParseError
from xlaviz.hlo.model import HloInstruction, HloModule, StackFrame
from xlaviz.hlo.text import read_hlo_text

ADD = """HloModule m
ENTRY e {
  a = f32[2]{0} parameter(0)
  b = f32[2]{0} parameter(1)
  ROOT c = f32[2]{0} add(a, b)
}
"""


def read(text: str) -> HloModule:
    (module,) = read_hlo_text(text, file="x.txt")
    (slowly,) = read_hlo_text(text, file="x.txt", common_lines=False)
    assert module == slowly
    return module


def line(text: str, before: str = "") -> HloInstruction:
    """The instruction `r` of an entry computation that has a few parameters to use."""
    module = read(
        f"HloModule m\n{before}\nENTRY e {{\n a = f32[4] parameter(0)\n b = f32[4] parameter(1)\n"
        f" t = (f32[4], (s32[], f32[2])) parameter(2)\n {text}\n ROOT end = f32[4] negate(a)\n}}\n"
    )
    found = module.entry_computation.by_name["r"]
    assert isinstance(found, HloInstruction)
    return found


@pytest.mark.parametrize(
    "operands",
    [
        "a, b",
        "%a, %b",
        "f32[4]{0} %a, f32[4]{0} %b",
        "f32[4] a, f32[4] b",
        "f32[4]{0:T(8,128)S(5)} %a, /*index=1*/f32[4] %b",
        "(f32[4], s32[]) a, b",
        "f32[ 4 ] %a ,%b",
        "/* one */ a, // two\n b",
    ],
)
def test_operand_styles(operands: str) -> None:
    assert line(f"r = f32[4] add({operands})").operands == ("a", "b")


def test_names_and_root() -> None:
    module = read(ADD)
    assert (module.name, module.entry, module.entry_computation.root) == ("m", "e", "c")
    assert module.entry_computation.parameters[1].name == "b"
    last = read(ADD.replace("ROOT ", ""))
    assert last.entry_computation.root == "c"
    first = read(ADD.replace("a = f32", "ROOT a = f32").replace("ROOT c", "c"))
    assert first.entry_computation.root == "a"


def test_signature_and_thread() -> None:
    module = read(
        "ENTRY %main.1 (p.0: f32[2], p-1: (s32[], f32[3]{0})) -> f32[2]{0} {\n  ROOT %p.0 = f32[2] parameter(0)\n"
        '}, execution_thread="host" // main.1\n'
    )
    assert (module.name, module.entry_computation.execution_thread) == ("main.1", "host")


@pytest.mark.parametrize(
    "text", [ADD.replace("ENTRY ", ""), ADD.replace("HloModule m\n", ""), ADD.split("\n", 2)[2][:-2]]
)
def test_without_entry_header_or_computation(text: str) -> None:
    assert read(text).instruction_count == 3


def test_the_last_computation_is_the_entry_without_entry() -> None:
    module = read("f { x = f32[] parameter(0) }\ng { y = f32[] parameter(0) ROOT z = f32[] call(y), to_apply=f }")
    assert module.entry == "g"
    assert module.entry_computation.root_instruction.called_computations == ("f",)


def test_a_lone_instruction_gets_parameters() -> None:
    module = read('%r = f32[4]{0} add(f32[4]{0} %x, f32[4]{0} %y), metadata={op_name="n"}')
    assert [(i.name, i.opcode, str(i.shape)) for i in module.entry_computation.instructions] == [
        ("x", "parameter", "f32[4]{0}"),
        ("y", "parameter", "f32[4]{0}"),
        ("r", "add", "f32[4]{0}"),
    ]
    nameless = read("f32[4]{0} multiply(f32[4]{0}, f32[4]{0})")
    assert [i.opcode for i in nameless.entry_computation.instructions] == ["parameter", "parameter", "multiply"]


def test_canonical_text_with_bodies_in_place() -> None:
    module = read(
        "f32[5]{0} while(f32[5]{0}), condition=\n{\n  tmp_0 = f32[5]{0} parameter(0)\n  ROOT t = pred[] constant(1)\n"
        "}, body=\n{\n  tmp_0 = f32[5]{0} parameter(0)\n  ROOT t = f32[5]{0} fusion(tmp_0), kind=kLoop, calls=\n  {\n"
        "    ROOT tmp_0 = f32[5]{0} parameter(0)\n  }\n}"
    )
    loop = module.entry_computation.root_instruction
    body, condition = (module.by_name[name] for name in loop.called_computations)
    assert condition.root_instruction.opcode == "constant"
    assert body.root_instruction.opcode == "fusion"
    assert len(module.computation_of) == module.instruction_count
    branches = read(
        "conditional(s32[], f32[], f32[]), branch_computations={\n{\n  x = f32[] parameter(0)\n},\n"
        "{\n x = f32[] parameter(0)\n}\n}"
    )
    assert len(branches.entry_computation.root_instruction.called_computations) == 2


def test_nested_instructions_as_operands() -> None:
    module = read(
        "HloModule m\nENTRY e {\n x = f32[4] parameter(0)\n ROOT r = f32[4] add(f32[4] parameter(1), multiply(x, x))\n}"
    )
    computation = module.entry_computation
    assert [i.opcode for i in computation.instructions] == ["parameter", "parameter", "multiply", "add"]
    assert computation.root_instruction.operands == ("parameter", "multiply")
    assert str(computation.by_name["multiply"].shape) == "f32[4]"


def test_compact_get_tuple_element() -> None:
    module = read(
        "HloModule m\nENTRY e {\n t = (f32[4], (s32[], f32[2])) parameter(0)\n a = f32[4] negate(%t#0)\n"
        " b = f32[2] negate(%t#1#1)\n ROOT c = f32[2] add(%t#1#1, f32[2] %t#1#1)\n}"
    )
    computation = module.entry_computation
    implied = [i for i in computation.instructions if i.opcode == "get-tuple-element"]
    assert [(i.name, i.operands, i.attributes["index"], str(i.shape)) for i in implied] == [
        ("t.gte.0", ("t",), "0", "f32[4]"),
        ("t.gte.1", ("t",), "1", "(s32[], f32[2])"),
        ("t.gte.1.gte.1", ("t.gte.1",), "1", "f32[2]"),
    ]
    assert computation.root_instruction.operands == ("t.gte.1.gte.1",) * 2


def test_async_sugar_is_spelled_out() -> None:
    module = read(
        "HloModule m\nENTRY e {\n p = f32[8] parameter(0)\n"
        ' s = ((f32[8]), f32[4], s32[]) custom-call-start(p), async_execution_thread="side", custom_call_target="foo"\n'
        " u = ((f32[8]), f32[4], s32[]) custom-call-update(s)\n ROOT d = f32[4] custom-call-done(u)\n}"
    )
    start, update, done = module.entry_computation.instructions[1:]
    assert [i.opcode for i in (start, update, done)] == ["async-start", "async-update", "async-done"]
    wrapped = module.by_name[start.called_computations[0]]
    assert wrapped.execution_thread == "side"
    assert wrapped.root_instruction.opcode == "custom-call"
    assert wrapped.root_instruction.attributes == {"custom_call_target": '"foo"'}
    native = line("r = (f32[4], f32[4]) all-gather-start(a), dimensions={0}")
    assert native.opcode == "all-gather-start"


def test_unnamed_and_deleted_operands_are_noted() -> None:
    module = read("HloModule m\nENTRY e {\n a = f32[] parameter(0)\n ROOT r = (f32[]) tuple(a, null , ...(+12))\n}")
    assert module.entry_computation.root_instruction.operands == ("a",)
    assert "null" in module.notes[0]


def test_forward_references() -> None:
    module = read(
        "HloModule m\nENTRY e {\n ROOT r = f32[] call(x), to_apply=f\n x = f32[] parameter(0)\n}\n"
        "f { y = f32[] parameter(0) }"
    )
    assert module.entry == "e"
    assert [c.name for c in module.computations] == ["f", "e"]


def test_equal_names_are_made_unique() -> None:
    module = read(
        "HloModule m\nf { x = f32[] parameter(0)\n ROOT y.1 = f32[] negate(x) }\n"
        "f { x = f32[] parameter(0)\n ROOT y = f32[] abs(x) }\n"
        "ENTRY e { x = f32[] parameter(0)\n x = f32[] negate(x)\n ROOT y = f32[] call(x), to_apply=f }"
    )
    assert len(module.by_name) == 3
    assert len(module.computation_of) == 7
    first, second = (module.by_name[name] for name in ("f", "f.1"))
    assert first.root_instruction.operands == ("x",)
    assert second.root_instruction.operands == ("x.1",)
    entry = module.entry_computation
    parameter, negate, call = entry.instructions
    assert negate.operands == (parameter.name,)
    assert call.operands == (negate.name,)
    assert call.called_computations == ("f.1",)


def test_unknown_opcodes_types_and_attributes_are_kept() -> None:
    found = line("r = q7[4]{0} frobnicate(a, b), flavour={x={y=\"}\"}}, level=3, level=4, mesh=mesh['a'=2] {'a'}")
    assert (found.opcode, found.shape.element_type) == ("frobnicate", "q7")
    assert found.attributes == {"flavour": '{x={y="}"}}', "level": "3", "mesh": "mesh['a'=2] {'a'}"}


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ('backend_config={"a":{"b":"}"}}', "backend_config", '{"a":{"b":"}"}}'),
        (r'backend_config="{\"a\":1}"', "backend_config", r'"{\"a\":1}"'),
        ('backend_config={key: "va}lue"}', "backend_config", '{key: "va}lue"}'),
        ("opaque='single {'", "opaque", "'single {'"),
        ("replica_groups=[2,4]<=[4,2]T(1,0)", "replica_groups", "[2,4]<=[4,2]T(1,0)"),
        ("replica_groups=mesh['x'=2,'y'=4] {'y'}", "replica_groups", "mesh['x'=2,'y'=4] {'y'}"),
        ("sharding={{replicated}, /*index=5*/{devices=[2]0,1}}", "sharding", "{{replicated}, {devices=[2]0,1}}"),
        ("literal=s32[2]{0} {1, 2}", "literal", "s32[2]{0} {1, 2}"),
        ("literal=( s32[1]{0} {4}, pred[] 1 )", "literal", "( s32[1]{0} {4}, pred[] 1 )"),
        ("slice={[0:4], [1:9:2]}", "slice", "{[0:4], [1:9:2]}"),
        ("window={size=3x3 pad=1_1x1_1}", "window", "{size=3x3 pad=1_1x1_1}"),
        ("dim_labels=b01f_01io->b01f", "dim_labels", "b01f_01io->b01f"),
        ("padding=0_1_0x-2_3_1", "padding", "0_1_0x-2_3_1"),
        ('origin={({"a"}, {"b" {1,0}})}', "origin", '{({"a"}, {"b" {1,0}})}'),
        ("origin=[synthetic_call]", "origin", "[synthetic_call]"),
    ],
)
def test_attribute_values(text: str, key: str, value: str) -> None:
    assert line(f"r = f32[4] custom-call(a), {text}").attributes == {key: value}
    assert line(f"r = f32[4] custom-call(a), x=1,\n   {text}\n , y=2").attributes == {"x": "1", key: value, "y": "2"}


def test_control_predecessors_and_metadata_are_no_attributes() -> None:
    found = line(
        r'r = f32[4] add(a, b), control-predecessors={%a, b}, metadata={op_type="Add" op_name="x\"\342\200\223y", '
        r'source_line=3 profile_type={1} stack_frame_id=7 deduplicated_name="d"}'
    )
    assert found.control_predecessors == ("a", "b")
    assert found.attributes == {}
    assert (found.metadata.op_type, found.metadata.op_name) == ("Add", 'x"–y')
    assert (found.metadata.source_line, found.metadata.stack_frame_id) == (3, 7)
    assert found.metadata.others == (("profile_type", "{1}"), ("deduplicated_name", '"d"'))


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("while(a), condition=%f, body=%g", ("g", "f")),
        ("conditional(p, a, b), true_computation=f, false_computation=g", ("f", "g")),
        ("conditional(a, a, b), branch_computations={%f, %g}", ("f", "g")),
        ("select-and-scatter(a, b, b), scatter=g, select=f", ("f", "g")),
        ("custom-call(a), called_computations={%g}", ("g",)),
        ("fusion(a), calls=f, kind=kLoop", ("f",)),
    ],
)
def test_called_computations(text: str, called: tuple[str, ...]) -> None:
    functions = "f { fx = f32[] parameter(0) }\ng { gx = f32[] parameter(0) }"
    assert line(f"p = pred[] constant(0)\n r = f32[4] {text}", functions).called_computations == called


@pytest.mark.parametrize(
    ("constant", "literal"),
    [
        ("f32[] constant(-inf)", "-inf"),
        ("f32[2]{0} constant({1, nan(0x7f)})", "{1, nan(0x7f)}"),
        ("c64[] constant((1, -inf))", "(1, -inf)"),
        ("f32[2,2]{1,0} constant({\n  { 1, 2 },\n  { 3, 4 } })", "{ { 1, 2 }, { 3, 4 } }"),
        ("f32[100]{0} constant({...})", "{...}"),
        ("s32[11]{0} constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})", "{...}"),
        ("(f32[], s32[]) constant((1, {...}))", "{...}"),
    ],
)
def test_literals(constant: str, literal: str) -> None:
    assert line(f"r = {constant}").literal == literal


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("r = negate(a)", "f32[4]"),
        ("r = compare(a, b), direction=EQ", "pred[4]"),
        ("r = tuple(a, b)", "(f32[4], f32[4])"),
        ("r = get-tuple-element(t), index=1", "(s32[], f32[2])"),
        ("r = dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}", "f32[]"),
        ("r = topk(a), k=2, largest=true", "(f32[2]{0}, s32[2]{0})"),
        ("r = after-all()", "token[]"),
    ],
)
def test_shapes_left_out(text: str, shape: str) -> None:
    assert str(line(text).shape) == shape


def test_header() -> None:
    module = read(
        "HloModule jit_f, is_scheduled=true, input_output_alias={ {0}: (1, {}, may-alias) }, num_partitions=2,\n"
        'debug_attributes={ {"op"}:({op_id=4}) }, '
        "entry_computation_layout={(f32[2]{0}, /*index=5*/s32[])->f32[2]{0}}, custom=a.b\n" + ADD.split("\n", 1)[1]
    )
    assert module.is_scheduled
    assert dict(module.attributes) == {
        "input_output_alias": "{ {0}: (1, {}, may-alias) }",
        "num_partitions": "2",
        "debug_attributes": '{ {"op"}:({op_id=4}) }',
        "entry_computation_layout": "{(f32[2]{0}, s32[])->f32[2]{0}}",
        "custom": "a.b",
    }


def test_stack_frames() -> None:
    module = read(
        'HloModule m\n\nFileNames\n1 "/a.py"\n2 "/b.py"\n\nFunctionNames\n1 "f"\n\nFileLocations\n'
        "1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=4 end_column=9}\n"
        "2 {file_name_id=2 function_name_id=1 line=7}\n\n"
        "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}\n\n"
        + ADD.split("\n", 1)[1]
    )
    assert module.stack_frames == (
        StackFrame("/a.py", "f", 3, 3, 4, 9, parent=0),
        StackFrame("/b.py", "f", 7, parent=1),
    )
    assert (
        read(
            "HloModule m\nFileNames\n\nFunctionNames\n\nFileLocations\n\nStackFrames\n" + ADD.split("\n", 1)[1]
        ).stack_frames
        == ()
    )


@pytest.mark.parametrize("between", ["// -----\n", "# -----\n", "\n"])
def test_several_modules(between: str) -> None:
    modules = read_hlo_text(ADD + between + ADD.replace("HloModule m", "HloModule n"), file="x")
    assert [module.name for module in modules] == ["m", "n"]


def test_begin_and_end_lines() -> None:
    text = f"noise\n*** Begin m ***\n{ADD}*** End m ***\nmore noise {{\n*** Begin n ***\n{ADD}*** End n ***\n"
    assert len(read_hlo_text(text, file="x")) == 2


def test_marks_line_ends_and_log_prefixes() -> None:
    prefix = "I0521 12:04:45.883483    1509 service.cc:186] "
    assert read("\ufeff" + ADD) == read(ADD)
    assert read(ADD.replace("\n", "\r\n")) == read(ADD)
    assert read("".join(prefix + each + "\n" for each in ADD.splitlines())) == read(ADD)
    assert read("/* a\n comment */ // RUN: x\n" + ADD) == read(ADD)


@pytest.mark.parametrize("cut", [ADD[:-2], ADD[:-10], ADD[: ADD.index("add(") + 5], ADD + "g { x = f32[] para"])
def test_a_text_cut_short_is_read_to_the_cut(cut: str) -> None:
    module = read(cut)
    assert module.instruction_count >= 2
    assert f"line {cut.count(chr(10)) + 1}" in module.notes[0]


@pytest.mark.parametrize(
    ("text", "line_number", "said"),
    [
        (ADD.replace("add(a, b)", "add(a, y)"), 5, "`y` is not defined"),
        (ADD.replace("add(a, b)", "call(a), to_apply=f"), 5, "`f` is not defined"),
        (ADD.replace("add(a, b)", "add(a, b), control-predecessors={z}"), 5, "`z` is not defined"),
        (ADD.replace("add(a, b)", "add(a#0, b)"), 5, "no tuple element 0"),
        (ADD.replace("  b", "  ROOT b"), 5, "only one ROOT"),
        (ADD + "ENTRY f { x = f32[] parameter(0) }", 7, "only one ENTRY"),
        (ADD.replace("f32[2]{0} add", "f32[2,x]{0} add"), 5, "no dimension"),
        (ADD.replace("add(a, b)", "add(a, b), %s"), 5, "expected an attribute"),
        (ADD.replace("add(a, b)", "add(a; b)"), 5, "expected `)`"),
        ("HloModule m\n/* x = f32[] y()", 2, "never ends"),
        ("HloModule m\n", 2, "expected a computation"),
        ("HloModule m\nf {\n}\n", 2, "no instruction"),
        (ADD + "}", 7, "expected an instruction"),
        ("just some words\n", 1, "expected an instruction"),
    ],
)
def test_errors_name_the_line(text: str, line_number: int, said: str) -> None:
    with pytest.raises(HloParseError) as caught:
        read_hlo_text(text, file="x.txt")
    assert caught.value.line == line_number
    assert str(caught.value).startswith(f"x.txt:{line_number}:")
    assert said in str(caught.value)
