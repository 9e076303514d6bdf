"""HLO text -> drafts. Recursive descent over the structure; one expression takes a usual line in one go."""

from __future__ import annotations

import re

from xlaviz.hlo.attribute_text import CALLED, AttributeList, names_in, read_key, read_metadata, read_value
from xlaviz.hlo.draft import DraftComputation, DraftInstruction, DraftModule, DraftOperand
from xlaviz.hlo.errors import HloParseError
from xlaviz.hlo.lexer import NAME, Scanner, without_comments
from xlaviz.hlo.lines import CommonLines
from xlaviz.hlo.literal_text import literal_shown
from xlaviz.hlo.model import NO_ATTRIBUTES, NO_METADATA, LazyAttributes, LazyText, Metadata
from xlaviz.hlo.shape_text import MAX_DEPTH, read_shape, shape_ahead
from xlaviz.hlo.stack_frames import read_stack_frames

_HEADER = re.compile(rf"HloModule\b[ \t]*(?:%?({NAME}):?)?")
_HEADER_AHEAD = re.compile(r"HloModule\b")
_TABLE_AHEAD = re.compile(r"(?:FileNames|FunctionNames|FileLocations|StackFrames)\b(?!\s*[=({])")
_ENTRY = re.compile(r"ENTRY\b")
_ROOT = re.compile(r"ROOT\b(?!\s*=)")
_COMPUTATION_NAME = re.compile(rf"%?({NAME})(?=\s*[({{])")
_THREAD = re.compile(r',\s*execution_thread\s*=\s*"([^"\n]*)"')
_ASSIGNED = re.compile(rf"%?({NAME})\s*=(?!=)")
_OPCODE = re.compile(r"([A-Za-z_][\w\-]*)\s*\(")
_OPERAND_NAME = re.compile(rf"%?({NAME})((?:#\d+)*)")
_ELIDED_OPERANDS = re.compile(r"\.\.\.\s*\(\+\d+\)")
_NUMBER = re.compile(r"\d{1,18}")
_NAMES = re.compile(r"\{\s*+(?:%?[\w.\-]++\s*+,?\s*+)*+\}")
_BODIES = re.compile(r"\{\s*(?=\{)")


class Parser:
    """Reads the modules of one stretch of text. `common` may be switched off to check that it changes nothing."""

    def __init__(self, scanner: Scanner, *, common_lines: bool = True) -> None:
        self._scanner = scanner
        self._common = CommonLines(scanner) if common_lines else None
        self._depth = 0

    def modules(self) -> list[DraftModule]:
        """Every module in the text; a text cut short yields what stands before the cut, with a note."""
        modules: list[DraftModule] = []
        while self._scanner.peek():
            module = DraftModule("")
            modules.append(module)
            try:
                self._module(module)
            except HloParseError as error:
                if not any(c.instructions for c in module.computations) or not self._is_cut(error, module):
                    raise
                module.is_truncated = True
                last = self._scanner.text.count("\n", 0, self._scanner.end) + 1
                module.notes.append(f"The text stops short at line {last}; what stands before is shown ({error}).")
                self._scanner.position = self._scanner.end
        return modules

    def _is_cut(self, error: HloParseError, module: DraftModule) -> bool:
        """Whether the text just stops: at the error, or in the last line of a computation that is not closed."""
        text, end = self._scanner.text, self._scanner.end
        if error.at_end or module.computations[-1].is_bare or text.endswith(("\n", "}"), 0, end):
            return error.at_end
        return error.line == text.count("\n", 0, end) + 1

    def _module(self, module: DraftModule) -> None:
        scanner = self._scanner
        header = scanner.take(_HEADER)
        if header is not None:
            module.name = header[1] or ""
            module.attributes = self._header_attributes()
        module.stack_frames = read_stack_frames(scanner) if scanner.find(_TABLE_AHEAD) else ()
        while scanner.peek() and not scanner.find(_HEADER_AHEAD):
            self._computation(module)
        if not module.computations:
            raise scanner.error("expected a computation", at_end=False)

    def _header_attributes(self) -> dict[str, str]:
        attributes: dict[str, str] = {}
        while key := read_key(self._scanner):
            attributes.setdefault(key, without_comments(read_value(self._scanner)))
        self._scanner.take_text(",")
        return attributes

    def _computation(self, module: DraftModule) -> None:
        """One computation, or the instructions that stand in none."""
        scanner = self._scanner
        entry = scanner.take(_ENTRY)
        computation = DraftComputation("", scanner.position, is_entry=entry is not None)
        if entry is not None and any(other.is_entry for other in module.computations):
            raise scanner.error("a module has only one ENTRY", entry.start())
        if not entry and not self._computation_ahead():
            computation.is_bare = True
            module.computations.append(computation)
            self._instructions(computation)
            return
        computation.name = name[1] if (name := scanner.take(_COMPUTATION_NAME)) else ""
        if scanner.peek() == "(":
            scanner.skip_group()
            scanner.expect_text("->")
            read_shape(scanner)
        scanner.expect_text("{")
        module.computations.append(computation)
        self._instructions(computation)
        scanner.expect_text("}")
        computation.execution_thread = thread[1] if (thread := scanner.take(_THREAD)) else "main"

    def _computation_ahead(self) -> bool:
        scanner = self._scanner
        start = scanner.position
        if scanner.peek() == "{":
            return True
        if not scanner.take(_COMPUTATION_NAME):
            return False
        found = scanner.peek() == "{"
        if not found:
            scanner.skip_group()
            found = scanner.take_text("->")
        scanner.position = start
        return found

    def _instructions(self, computation: DraftComputation) -> None:
        """Instructions up to the closing brace; outside of a computation, up to the next thing that is none."""
        scanner, common = self._scanner, self._common
        while True:
            if common is not None and not computation.is_bare:
                common.read(computation.instructions)
            char = scanner.peek()
            if (not char or self._bare_ends()) if computation.is_bare else char == "}":
                break
            self._instruction(computation)
        if sum(instruction.is_root for instruction in computation.instructions) > 1:
            second = [i for i in computation.instructions if i.is_root][1]
            raise scanner.error("a computation has only one ROOT", second.position)

    def _bare_ends(self) -> bool:
        return bool(self._scanner.find(_HEADER_AHEAD) or self._scanner.find(_ENTRY) or self._computation_ahead())

    def _instruction(self, computation: DraftComputation) -> None:
        scanner = self._scanner
        is_root = scanner.take(_ROOT) is not None
        scanner.skip_blanks()
        position = scanner.position
        name = found[1] if (found := scanner.take(_ASSIGNED)) else ""
        instruction = self._operation(computation, name, position)
        instruction.is_root = is_root
        self._attributes(instruction, computation)
        computation.instructions.append(instruction)

    def _operation(self, computation: DraftComputation, name: str, position: int) -> DraftInstruction:
        """`shape opcode(operands)`."""
        scanner = self._scanner
        self._enter()
        shape = read_shape(scanner) if shape_ahead(scanner) else None
        opcode = scanner.expect(_OPCODE, "an opcode and `(`" if shape else "an instruction")[1]
        instruction = DraftInstruction(name, opcode, shape, (), position)
        if opcode == "parameter":
            instruction.parameter_number = int(scanner.expect(_NUMBER, "the parameter's number")[0])
        elif opcode == "constant":
            scanner.position -= 1
            start = scanner.position
            scanner.skip_group()
            literal = scanner.text[start + 1 : scanner.position - 1]
            instruction.read_literal = LazyText.of(literal_shown(literal, shape))
            scanner.position -= 1
        else:
            instruction.operands = self._operands(computation)
        scanner.expect_text(")")
        self._depth -= 1
        return instruction

    def _operands(self, computation: DraftComputation) -> tuple[str | DraftOperand | DraftInstruction, ...]:
        scanner = self._scanner
        operands: list[str | DraftOperand | DraftInstruction] = []
        while scanner.peek() != ")":
            if not scanner.take(_ELIDED_OPERANDS):
                operands.append(self._operand(computation))
            if not scanner.take_text(","):
                break
        return tuple(operands)

    def _operand(self, computation: DraftComputation) -> str | DraftOperand | DraftInstruction:
        scanner = self._scanner
        start = scanner.position
        shape = read_shape(scanner) if shape_ahead(scanner) else None
        if scanner.find(_OPCODE):
            scanner.position = start
            scanner.skip_blanks()
            nested = self._operation(computation, "", scanner.position)
            computation.instructions.append(nested)
            return nested
        found = scanner.take(_OPERAND_NAME)
        if found is None:
            if shape is None:
                raise scanner.error("expected an operand")
            return DraftOperand("", (), shape)
        path = tuple(int(index[:9]) for index in found[2].split("#")[1:])
        return DraftOperand(found[1], path, shape) if path or computation.is_bare else found[1]

    def _attributes(self, instruction: DraftInstruction, computation: DraftComputation) -> None:
        scanner = self._scanner
        found = AttributeList()
        bodies: dict[str, tuple[str | DraftComputation, ...]] = {}
        while scanner.peek() == "," and (key := read_key(scanner)):
            if key in CALLED and scanner.peek() == "{" and not scanner.find(_NAMES):
                bodies[key] = self._bodies(key, instruction)
            else:
                found.add(key, read_value(scanner))
        if scanner.peek() == ",":
            raise scanner.error("expected an attribute")
        called = bodies | {key: names_in(value) for key, value in found.called}
        instruction.called = tuple(name for key in sorted(called, key=CALLED.index) for name in called[key])
        instruction.attributes = LazyAttributes.of(found.values) if found.values else NO_ATTRIBUTES
        instruction.control_predecessors = names_in(found.control_predecessors)
        instruction.metadata = _metadata(found.metadata)

    def _bodies(self, key: str, instruction: DraftInstruction) -> tuple[DraftComputation, ...]:
        """Computations written in place, as canonical text has them."""
        scanner = self._scanner
        if not scanner.take(_BODIES):
            return (self._body(key, instruction),)
        bodies = [self._body(key, instruction)]
        while scanner.take_text(","):
            bodies.append(self._body(key, instruction))
        scanner.expect_text("}")
        return tuple(bodies)

    def _body(self, key: str, instruction: DraftInstruction) -> DraftComputation:
        self._enter()
        body = DraftComputation(f"{instruction.name or instruction.opcode}.{key}", self._scanner.position)
        self._scanner.expect_text("{")
        self._instructions(body)
        self._scanner.expect_text("}")
        self._depth -= 1
        return body

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._scanner.error("instructions nested this deep are not supported", at_end=False)


def _metadata(text: str) -> Metadata:
    return read_metadata(text) if text else NO_METADATA
