"""Kernels added up: by opcode, by TensorFlow op, by Keras layer, by the user's line."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from xlaviz.graph.scopes import ScopePath, scope_path
from xlaviz.profile.kernels import Kernel, KernelTable
from xlaviz.timing.attribution import Shares
from xlaviz.timing.lines import plain_name

Grouping = Literal["opcode", "op", "layer", "line"]
GROUPINGS: tuple[Grouping, ...] = ("opcode", "op", "layer", "line")

_WHOLE = 1 - 1e-9
"""Parts that add up to a kernel may miss it by the rounding."""

_FUNCTIONS = frozenset({"moments", "batchnorm"})
_GRADIENT = ("gradient_tape", "gradient")


@dataclass(frozen=True, slots=True)
class KernelGroup:
    """Kernels that belong together. All figures are of one run, times are microseconds.

    `self_us` adds up the self times of its kernels, or the part of them that belongs to the group; `share` is that
    over the run's time. `kernels` names them, the costliest first. `flops` and `bytes` are None where not known.
    `exact` is False where the end of one of them was inferred: the times are then upper bounds.
    """

    label: str
    self_us: float
    share: float
    kernels: tuple[str, ...]
    flops: float | None
    bytes: float | None
    exact: bool = True


def by_opcode(table: KernelTable) -> tuple[KernelGroup, ...]:
    """Kernels of one opcode; fusions by their kind, too."""
    return _grouped(table, {kernel.name: {_opcode(kernel): 1.0} for kernel in table.kernels})


def _opcode(kernel: Kernel) -> str:
    return " ".join(word for word in (kernel.opcode or "unknown", kernel.fusion_kind) if word)


def by_op(table: KernelTable, ops: Mapping[str, Shares]) -> tuple[KernelGroup, ...]:
    """Each framework op with its part of its kernels; what leads to no op under ""."""
    return _grouped(table, _relabelled(ops, plain_name))


def by_layer(table: KernelTable, ops: Mapping[str, Shares]) -> tuple[KernelGroup, ...]:
    """Each layer (the scopes of the ops' names), forward and backward apart."""
    layers = layers_of({name for parts in ops.values() for name in parts})
    return _grouped(table, _relabelled(ops, layers.__getitem__))


def by_line(table: KernelTable, ops: Mapping[str, Shares], place_of: Callable[[str], str]) -> tuple[KernelGroup, ...]:
    """Each line `file:line` of the user's; `place_of` gives an op's, "" where it has none."""
    return _grouped(table, _relabelled(ops, place_of))


def layers_of(names: Collection[str]) -> dict[str, str]:
    """Op name -> its layer: `functional_1/dense`, and for its gradient `functional_1/dense (gradient)`.

    The innermost scopes are often a function's own: `Tensordot`, an einsum's equation, `moments` and `batchnorm`.
    Layers by custom begin in lower case and are words. The name of a gradient has the name of its op as well, which is
    not a scope: it belongs to the layer of the forward ops around it.
    """
    paths = {name: scope_path(plain_name(name)) for name in names}
    forward = {_layer(path) for path in paths.values() if not _is_gradient(path)} - {()}
    found = {}
    for name, path in paths.items():
        if not _is_gradient(path):
            found[name] = "/".join(_layer(path))
            continue
        layer = path[1:]
        while layer and layer not in forward:
            layer = layer[:-1]
        found[name] = f"{'/'.join(layer or _layer(path[1:]))} (gradient)".strip()
    return found


def _is_gradient(path: ScopePath) -> bool:
    return bool(path) and path[0] in _GRADIENT


def _layer(path: ScopePath) -> ScopePath:
    """The path without a function's own scopes at its end."""
    while path and (path[-1] in _FUNCTIONS or not re.match(r"[a-z_][\w.-]*$", path[-1])):
        path = path[:-1]
    return path


def _relabelled(shares: Mapping[str, Shares], label_of: Callable[[str], str]) -> dict[str, Shares]:
    found: dict[str, Shares] = {}
    for kernel, parts in shares.items():
        by_label: dict[str, float] = defaultdict(float)
        for name, part in parts.items():
            by_label[label_of(name)] += part
        found[kernel] = by_label
    return found


def _grouped(table: KernelTable, shares: Mapping[str, Shares]) -> tuple[KernelGroup, ...]:
    """The groups, the costliest first. A kernel without shares belongs to the group ""."""
    spent: dict[str, dict[str, float]] = defaultdict(dict)
    parts: dict[str, list[tuple[Kernel, float]]] = defaultdict(list)
    for kernel in table.kernels:
        for label, part in (shares.get(kernel.name) or {"": 1.0}).items():
            spent[label][kernel.name] = kernel.self_per_run_us * part
            parts[label].append((kernel, part))
    groups = []
    for label, own in spent.items():
        self_us = sum(own.values())
        share = sum(kernel.share * part for kernel, part in parts[label])
        names = tuple(sorted(own, key=lambda name: (-own[name], name)))
        flops, moved = (_total(parts[label], table.runs, field) for field in ("flops", "bytes"))
        exact = all(kernel.exact for kernel, _ in parts[label])
        groups.append(KernelGroup(label, self_us, share, names, flops, moved, exact))
    return tuple(sorted(groups, key=lambda group: (-group.self_us, group.label)))


def _total(parts: list[tuple[Kernel, float]], runs: int, field: str) -> float | None:
    """What the kernels of a group do in one run; None where one of them is not known, or is there in part alone."""
    total = 0.0
    for kernel, part in parts:
        value = getattr(kernel, field)
        if value is None or part < _WHOLE or not runs:
            return None
        total += value * kernel.runs / runs
    return total
