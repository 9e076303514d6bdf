"""The framework's ops that an instruction's `op_name` names."""

from __future__ import annotations

from functools import lru_cache

from xlaviz.hlo.model import HloInstruction

_BOUNDARY = frozenset({"XLA_Args", "XLA_Retvals"})
"""What TensorFlow calls the program's inputs and outputs: no ops of anybody's."""


def op_names(instruction: HloInstruction) -> tuple[str, ...]:
    """The ops behind an instruction, each once; none for the program's own inputs and outputs."""
    return split_op_name(instruction.metadata.op_name)


@lru_cache(maxsize=65536)
def split_op_name(op_name: str) -> tuple[str, ...]:
    """XLA joins the names of what it merged with `;`. It may name one op twice there, with and without the function it
    was called through: `adam/Sqrt;StatefulPartitionedCall/adam/Sqrt`. The longer name stays."""
    names = [name.strip() for name in op_name.split(";")]
    wanted = dict.fromkeys(name for name in names if name and name.split("/")[0] not in _BOUNDARY)
    if len(wanted) < 2:
        return tuple(wanted)
    return tuple(name for name in wanted if not any(other.endswith(f"/{name}") for other in wanted))
