"""Drafts -> HloModule: names made unique and resolved, what the text left out put in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xlaviz.hlo.async_sugar import desugared
from xlaviz.hlo.draft import DraftComputation, DraftInstruction, DraftModule, DraftOperand
from xlaviz.hlo.infer import element_of, inferred_shape
from xlaviz.hlo.lexer import Scanner
from xlaviz.hlo.model import HloComputation, HloInstruction, HloModule, LazyAttributes
from xlaviz.hlo.names import UniqueNames
from xlaviz.hlo.order import in_call_order
from xlaviz.hlo.shapes import Shape

UNKNOWN_SHAPE = Shape("opaque")
"""For an operand of a lone instruction that the text says nothing about."""


def link(draft: DraftModule, scanner: Scanner) -> HloModule:
    """The module; `scanner` says where an error stands."""
    return _Linker(draft, scanner).module()


class _Linker:
    def __init__(self, draft: DraftModule, scanner: Scanner) -> None:
        self.draft = draft
        self.scanner = scanner
        self.notes = list(draft.notes)
        self.drafts = [c for outer in draft.computations for c in _with_bodies(outer)]
        if draft.is_truncated:
            self.drafts = [computation for computation in self.drafts if computation.instructions]
        computations = [computation.name for computation in self.drafts]
        instructions = [i.name for c in self.drafts for i in c.instructions]
        self.computation_names = UniqueNames(computations)
        self.instruction_names = UniqueNames(instructions)
        self.final_names = [self.computation_names(name or "computation") for name in computations]
        self.body_names = {id(c): name for c, name in zip(self.drafts, self.final_names, strict=True)}
        # A name means the last computation before the caller that has it, else the first one after.
        self.known_computations = dict(zip(reversed(computations), reversed(self.final_names), strict=True))
        self.computations: list[HloComputation] = []

    def module(self) -> HloModule:
        for draft, name in zip(self.drafts, self.final_names, strict=True):
            if not draft.instructions:
                raise self.scanner.error(f"computation `{name}` has no instruction", draft.position)
            computation = _ComputationLinker(self, draft, name).computation()
            self.known_computations[draft.name] = name
            self.computations.append(computation)
        entry = self._entry()
        attributes = dict(self.draft.attributes)
        return HloModule(
            name=self.draft.name or entry,
            computations=in_call_order(self.computations, entry),
            entry=entry,
            is_scheduled=attributes.pop("is_scheduled", "false") == "true",
            attributes=attributes,
            notes=tuple(self.notes),
            stack_frames=self.draft.stack_frames,
        )

    def _entry(self) -> str:
        outer = {id(computation) for computation in self.draft.computations}
        for draft, name in zip(self.drafts, self.final_names, strict=True):
            if draft.is_entry:
                return name
        return next(self.body_names[id(draft)] for draft in reversed(self.drafts) if id(draft) in outer)

    def note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)


class _ComputationLinker:
    """Builds one computation, in the text's order. `names` is what an operand's name means at this point."""

    def __init__(self, module: _Linker, draft: DraftComputation, name: str) -> None:
        self.module = module
        self.draft = draft
        self.name = name
        give = module.instruction_names
        self.finals = [give(i.name) if i.name else give.fresh(i.opcode) for i in draft.instructions]
        self.final_of = {id(i): final for i, final in zip(draft.instructions, self.finals, strict=True)}
        self.names = {
            i.name: final for i, final in zip(reversed(draft.instructions), reversed(self.finals), strict=True)
        }
        self.place_of = {final: place for place, final in enumerate(self.finals)}
        self.built: dict[str, HloInstruction] = {}
        self.projections: dict[tuple[str, int], str] = {}

    def computation(self) -> HloComputation:
        root = ""
        for draft, final in zip(self.draft.instructions, self.finals, strict=True):
            self.built[final] = self._instruction(draft, final)
            self.names[draft.name] = final
            root = final if draft.is_root else root
        instructions = tuple(self.built.values())
        return HloComputation(self.name, instructions, root or instructions[-1].name, self.draft.execution_thread)

    def _instruction(self, draft: DraftInstruction, name: str) -> HloInstruction:
        names = self.names
        try:
            operands = tuple([names[operand] for operand in draft.operands])  # type: ignore[index]
        except (KeyError, TypeError):
            operands = tuple(self._operands(draft))
        instruction = HloInstruction(
            name,
            draft.opcode,
            draft.shape if draft.shape is not None else self._inferred(draft, operands),
            operands,
            self._called(draft) if draft.called else (),
            self._control_predecessors(draft) if draft.control_predecessors else (),
            draft.parameter_number,
            draft.metadata,
            draft.attributes,
            draft.read_literal,
        )
        if draft.opcode.endswith(("-start", "-update", "-done")):
            return self._desugared(instruction)
        return instruction

    def _operands(self, draft: DraftInstruction) -> Iterator[str]:
        for operand in draft.operands:
            if isinstance(operand, DraftInstruction):
                yield self.final_of[id(operand)]
            elif isinstance(operand, DraftOperand):
                base = self._operand(operand.name, operand.shape, draft)
                if base:
                    yield self._projection(base, operand.path, draft)
            elif found := self._operand(operand, None, draft):
                yield found

    def _operand(self, name: str, shape: Shape | None, draft: DraftInstruction) -> str:
        """The final name; empty for an operand that is left out."""
        if name and name in self.names:
            return self.names[name]
        if self.draft.is_bare:
            return self._implied_parameter(name, shape)
        if name in ("", "null") or self.module.draft.is_truncated:
            self.module.note("Operands that the text leaves out or that XLA had deleted (`null`) are not shown.")
            return ""
        raise self.module.scanner.error(f"operand `{name}` is not defined in this computation", draft.position)

    def _implied_parameter(self, name: str, shape: Shape | None) -> str:
        """A lone instruction's operands are parameters of the computation that it stands for."""
        final = self.module.instruction_names.fresh(name or "parameter")
        number = sum(instruction.opcode == "parameter" for instruction in self.built.values())
        self.built[final] = HloInstruction(final, "parameter", shape or UNKNOWN_SHAPE, parameter_number=number)
        if name:
            self.names[name] = final
        return final

    def _projection(self, base: str, path: Sequence[int], draft: DraftInstruction) -> str:
        """The get-tuple-elements that `base#0#1` stands for, one for each distinct path."""
        for index in path:
            known = self.projections.get((base, index))
            if known is None:
                shape = element_of(self._shape_of(base), index)
                if shape is None:
                    raise self.module.scanner.error(f"`{base}` has no tuple element {index}", draft.position)
                known = self.module.instruction_names.fresh(f"{base}.gte.{index}")
                self.built[known] = HloInstruction(
                    known, "get-tuple-element", shape, (base,), attributes=LazyAttributes.of({"index": str(index)})
                )
                self.projections[base, index] = known
            base = known
        return base

    def _shape_of(self, name: str) -> Shape:
        if name in self.built:
            return self.built[name].shape
        shape = self.draft.instructions[self.place_of[name]].shape
        return shape if shape is not None else UNKNOWN_SHAPE

    def _inferred(self, draft: DraftInstruction, operands: Sequence[str]) -> Shape:
        shape = inferred_shape(draft.opcode, [self._shape_of(operand) for operand in operands], draft.attributes)
        if shape is None:
            raise self.module.scanner.error(f"`{draft.opcode}` needs a shape", draft.position)
        return shape

    def _called(self, draft: DraftInstruction) -> tuple[str, ...]:
        names: list[str] = []
        for called in draft.called:
            if isinstance(called, DraftComputation):
                names.append(self.module.body_names[id(called)])
            elif called in self.module.known_computations:
                names.append(self.module.known_computations[called])
            elif self.draft.is_bare or self.module.draft.is_truncated:
                self.module.note(f"Computation `{called}` is called but not in the text.")
            else:
                raise self.module.scanner.error(f"computation `{called}` is not defined", draft.position)
        return tuple(names)

    def _control_predecessors(self, draft: DraftInstruction) -> tuple[str, ...]:
        missing = [name for name in draft.control_predecessors if name not in self.names]
        if missing and not (self.draft.is_bare or self.module.draft.is_truncated):
            raise self.module.scanner.error(f"control predecessor `{missing[0]}` is not defined", draft.position)
        return tuple(self.names[name] for name in draft.control_predecessors if name in self.names)

    def _desugared(self, instruction: HloInstruction) -> HloInstruction:
        operands = [self.built[name] for name in instruction.operands if name in self.built]
        plain, wrapped = desugared(instruction, operands, self.module.instruction_names, self.module.computation_names)
        if wrapped is not None:
            self.module.computations.append(wrapped)
        return plain


def _with_bodies(computation: DraftComputation) -> Iterator[DraftComputation]:
    """The computations written inside this one, innermost first, then itself."""
    for instruction in computation.instructions:
        for called in instruction.called:
            if isinstance(called, DraftComputation):
                yield from _with_bodies(called)
    yield computation
