"""The opcode families that colour a box, in the order of the legend."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

Family = Literal[
    "parameter",
    "elementwise",
    "reduction",
    "dot",
    "data movement",
    "control flow",
    "collective",
    "custom call",
    "fusion",
]

FAMILIES: dict[Family, str] = {
    "parameter": "parameter, constant",
    "elementwise": "elementwise",
    "reduction": "reduction",
    "dot": "dot, convolution",
    "data movement": "data movement",
    "control flow": "control flow",
    "collective": "collective",
    "custom call": "custom call",
    "fusion": "fusion: a hue each",
}

_OPCODES: dict[Family, str] = {
    "parameter": "parameter constant tuple get-tuple-element iota partition-id replica-id after-all token",
    "reduction": "reduce reduce-window select-and-scatter sort topk scan map batch-norm-training batch-norm-inference "
    "batch-norm-grad",
    "dot": "dot convolution ragged-dot scaled-dot fft triangular-solve cholesky",
    "data movement": "broadcast reshape transpose copy copy-start copy-done slice dynamic-slice dynamic-update-slice "
    "concatenate pad gather scatter reverse bitcast bitcast-convert dynamic-reshape set-dimension-size "
    "get-dimension-size",
    "control flow": "while conditional call async-start async-update async-done opt-barrier domain add-dependency "
    "infeed outfeed",
    "collective": "all-gather all-reduce all-to-all collective-broadcast collective-permute ragged-all-to-all "
    "reduce-scatter send recv",
    "custom call": "custom-call",
    "fusion": "fusion",
}
_FAMILY_OF: dict[str, Family] = {opcode: family for family, names in _OPCODES.items() for opcode in names.split()}


@lru_cache(maxsize=1024)
def family_of(opcode: str) -> Family:
    """The family of an opcode; an asynchronous half belongs to its whole, and what is not known is elementwise."""
    base = opcode.removesuffix("-start").removesuffix("-update").removesuffix("-done")
    return _FAMILY_OF.get(opcode) or _FAMILY_OF.get(base, "elementwise")


_TELLING: tuple[Family, ...] = ("dot", "collective", "custom call", "reduction", "fusion", "control flow")


def family_of_many(opcodes: Iterable[str]) -> Family:
    """The family that tells most of what a group of instructions does: one matrix product among a hundred reshapes
    makes it a matrix product."""
    found = {family_of(opcode) for opcode in opcodes}
    telling = next((family for family in _TELLING if family in found), None)
    if telling is not None:
        return telling
    return next((f for f in ("elementwise", "data movement") if f in found), "parameter")
