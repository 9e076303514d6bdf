"""The scope an instruction came from: its `op_name` without wrappers, loop prefixes and the op's own name.

`StatefulPartitionedCall/functional_1/dense/MatMul` -> `functional_1`, `dense`. What XLA, TensorFlow and JAX put round a
scope without meaning anything by it is left out. Gradients stay apart: TensorFlow's begin with `gradient_tape`, JAX's
`transpose(jvp(dense))` becomes `gradient`, `dense`.
"""

from __future__ import annotations

import re
from functools import lru_cache

ScopePath = tuple[str, ...]

_TENSORFLOW = "StatefulPartitionedCall PartitionedCall XLA_Args XLA_Retvals"
_JAX = "main pjit closed_call core_call xla_call checkpoint remat custom_jvp_call custom_vjp_call custom_vjp_call_jaxpr"
_WRAPPERS = frozenset(f"{_TENSORFLOW} {_JAX}".split())
_LOOP = re.compile(r"(while|cond|scan)(_\d+)?$")
_LOOP_PARTS = frozenset(("body", "cond", "body_fun", "cond_fun", "then", "else", "branch"))
_NUMBER = re.compile(r"_?\d*$|branch_\d+(_fun)?$")
_CALL = re.compile(r"(\w+)\((.*)\)$")


@lru_cache(maxsize=65536)
def scope_path(op_name: str) -> ScopePath:
    """The scopes of an `op_name`, outermost first; empty where it has none. Of names joined by `;` the deepest counts,
    the last of those."""
    if ";" not in op_name:
        return _one_path(op_name)
    return max(reversed([_one_path(name.strip()) for name in op_name.split(";")]), key=len)


def _one_path(op_name: str) -> ScopePath:
    *scopes, _ = _components(op_name)
    path: list[str] = []
    after_loop = False
    is_gradient = False
    for position, component in enumerate(scopes):
        is_transposed, words = _unwrapped(component, is_first=position == 0)
        is_gradient |= is_transposed
        for word in words:
            after_loop = bool(_LOOP.match(word)) or (after_loop and word in _LOOP_PARTS)
            if not (after_loop or word in _WRAPPERS or _NUMBER.match(word)):
                path.append(word)
    # A loop's body repeats the scopes that the loop stands in: lstm/while/body/_12/lstm/while/MatMul.
    half = len(path) // 2
    if half and len(path) % 2 == 0 and path[:half] == path[half:] and any(map(_LOOP.match, scopes)):
        path = path[:half]
    return ("gradient", *path) if is_gradient else tuple(path)


def _components(op_name: str) -> list[str]:
    """Split at `/`, but not within brackets."""
    if "(" not in op_name:
        return op_name.split("/")
    parts, depth, start = [], 0, 0
    for position, character in enumerate(op_name):
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "/" and depth == 0:
            parts.append(op_name[start:position])
            start = position + 1
    return [*parts, op_name[start:]]


def _unwrapped(component: str, *, is_first: bool) -> tuple[bool, list[str]]:
    """What a transformation of JAX was applied to, and whether it was transposed. A jitted function inside another is a
    scope, the outermost is the whole program."""
    is_transposed = False
    while match := _CALL.match(component):
        transformation, component = match.groups()
        is_transposed |= transformation == "transpose"
        if transformation in ("jit", "pjit") and (is_first or component == "main"):
            return is_transposed, []
        if transformation in ("jit", "pjit"):
            component = component.lstrip("_")
    return is_transposed, [word for word in component.split("/") if word]
