"""HloModule -> long HLO text, as TensorFlow 2.21 writes it into a dump."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from xlaviz.hlo.lexer import quoted
from xlaviz.hlo.metadata_proto import metadata_fields
from xlaviz.hlo.model import NO_METADATA, HloComputation, HloInstruction, HloModule, StackFrame
from xlaviz.hlo.shapes import Shape

_TO_APPLY = {
    "call", "map", "reduce", "reduce-window", "all-reduce", "all-reduce-start", "reduce-scatter", "scatter", "sort",
    "scan",
}  # fmt: skip
_INDEX_EVERY = 5
"""XLA numbers every fifth operand and tuple element."""


def print_module(module: HloModule, write: Callable[[str], object]) -> None:
    """Writes the module's text piece by piece."""
    for piece in hlo_text(module):
        write(piece)


def hlo_text(module: HloModule) -> Iterator[str]:
    """The module's text in pieces, each a line or more. Reading it back gives an equal module."""
    yield _header(module)
    if module.stack_frames:
        yield from _stack_frames(module.stack_frames)
    for computation in module.computations:
        yield "\n"
        yield from computation_text(module, computation)


def computation_text(module: HloModule, computation: HloComputation) -> Iterator[str]:
    """One computation's lines."""
    entry = "ENTRY " if computation.name == module.entry else ""
    parameters = ", ".join(
        f"{parameter.name}: {_shape(parameter.shape, layout=False)}"
        for _, parameter in sorted(computation.parameters.items())
    )
    result = _shape(computation.root_instruction.shape, layout=False)
    yield f"{entry}%{computation.name} ({parameters}) -> {result} {{\n"
    for instruction in computation.instructions:
        root = "ROOT " if instruction.name == computation.root else ""
        yield f"  {root}{instruction_text(module, computation, instruction)}\n"
    thread = f', execution_thread="{computation.execution_thread}"' if computation.execution_thread != "main" else ""
    yield f"}}{thread}\n"


def instruction_text(module: HloModule, computation: HloComputation, instruction: HloInstruction) -> str:
    """One instruction as XLA prints it, without ROOT."""
    own = dict(instruction.attributes)
    shared = [(key, own.pop(key)) for key in ("sharding", "frontend_attributes") if key in own]
    last = [(key, own.pop(key)) for key in ("statistics", "result_accuracy", "origin", "backend_config") if key in own]
    parts = [f"%{instruction.name} = {_shape(instruction.shape)} {instruction.opcode}({_operands(instruction)})"]
    parts += [f"{key}={value}" for key, value in own.items()]
    parts += _called(computation, instruction)
    parts += [f"{key}={value}" for key, value in shared]
    if instruction.control_predecessors:
        parts.append(f"control-predecessors={_names(instruction.control_predecessors)}")
    backend_config = [value for key, value in last if key == "backend_config"]
    parts += [f"{key}={value}" for key, value in last if key != "backend_config"]
    if instruction.metadata != NO_METADATA:
        parts.append(f"metadata={{{metadata_fields(instruction.metadata)}}}")
    parts += [f"backend_config={value}" for value in backend_config]
    return ", ".join(parts)


def _header(module: HloModule) -> str:
    parts = [f"HloModule {module.name}"]
    if module.is_scheduled:
        parts.append("is_scheduled=true")
    parts += [f"{key}={value}" for key, value in module.attributes.items()]
    return ", ".join(parts) + "\n"


def _operands(instruction: HloInstruction) -> str:
    if instruction.parameter_number is not None:
        return str(instruction.parameter_number)
    if instruction.opcode == "constant":
        return instruction.literal
    return _numbered(f"%{name}" for name in instruction.operands)


def _numbered(texts: Iterable[str]) -> str:
    return ", ".join(
        f"/*index={place}*/{text}" if place and place % _INDEX_EVERY == 0 else text for place, text in enumerate(texts)
    )


def _shape(shape: Shape, *, layout: bool = True) -> str:
    if shape.is_tuple:
        return f"({_numbered(_shape(element, layout=layout) for element in shape.elements)})"
    return shape.text(layout=layout)


def _names(names: Sequence[str]) -> str:
    return f"{{{', '.join(f'%{name}' for name in names)}}}"


def _called(computation: HloComputation, instruction: HloInstruction) -> list[str]:
    """The called computations under the names that XLA gives them for the opcode."""
    called, opcode = instruction.called_computations, instruction.opcode
    if not called:
        return []
    if len(called) == 2 and opcode in _PAIRS:
        keys = _PAIRS[opcode]
        return [f"{key}=%{called[place]}" for place, key in keys]
    if opcode == "conditional":
        selector = computation.by_name.get(instruction.operands[0]) if instruction.operands else None
        if len(called) == 2 and selector is not None and selector.shape.element_type == "pred":
            return [f"true_computation=%{called[0]}", f"false_computation=%{called[1]}"]
        return [f"branch_computations={_names(called)}"]
    if opcode == "custom-call":
        return [f"called_computations={_names(called)}"]
    if len(called) > 1:
        return [f"calls={_names(called)}"]
    return [f"{'to_apply' if opcode in _TO_APPLY else 'calls'}=%{called[0]}"]


_PAIRS = {
    "while": ((1, "condition"), (0, "body")),
    "select-and-scatter": ((0, "select"), (1, "scatter")),
}


def _stack_frames(frames: Sequence[StackFrame]) -> Iterator[str]:
    """The four tables, numbered in order of first use."""
    files = {name: n for n, name in enumerate(dict.fromkeys(frame.file for frame in frames), start=1)}
    functions = {name: n for n, name in enumerate(dict.fromkeys(frame.function for frame in frames), start=1)}
    places = {place: n for n, place in enumerate(dict.fromkeys(map(_place, frames)), start=1)}
    yield "\nFileNames\n" + "".join(f"{n} {quoted(name)}\n" for name, n in files.items())
    yield "\nFunctionNames\n" + "".join(f"{n} {quoted(name)}\n" for name, n in functions.items())
    yield "\nFileLocations\n"
    for (file, function, line, end_line, column, end_column), n in places.items():
        yield (
            f"{n} {{file_name_id={files[file]} function_name_id={functions[function]} line={line}"
            f" end_line={end_line} column={column} end_column={end_column}}}\n"
        )
    yield "\nStackFrames\n"
    for n, frame in enumerate(frames, start=1):
        yield f"{n} {{file_location_id={places[_place(frame)]} parent_frame_id={frame.parent + 1}}}\n"
    yield "\n"


def _place(frame: StackFrame) -> tuple[str, str, int, int, int, int]:
    return (frame.file, frame.function, frame.line, frame.end_line, frame.column, frame.end_column)
