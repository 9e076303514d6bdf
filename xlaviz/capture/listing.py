"""What a Python file offers for capture, read from its text: nothing of it is run, and TensorFlow is not needed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from xlaviz.base.errors import XlavizError


@dataclass(frozen=True)
class Candidate:
    """A name that can be given as target. `kind` is `tf.function`, `function` or `object` (a model, a layer)."""

    name: str
    kind: str
    line: int


def candidates(file: Path) -> tuple[Candidate, ...]:
    """The module's own functions and the objects it makes, tf.functions first. XlavizError when it is not Python."""
    try:
        tree = ast.parse(file.read_bytes(), str(file))
    except OSError as error:
        raise XlavizError(f"{file} cannot be read: {error.strerror}.") from error
    except SyntaxError as error:
        at = f" in line {error.lineno}" if error.lineno else ""
        raise XlavizError(f"{file.name} is not valid Python: {error.msg}{at}.") from error
    except ValueError as error:
        raise XlavizError(f"{file.name} is not a Python file: {error}.") from error
    found = {candidate.name: candidate for node in tree.body for candidate in _candidates_of(node)}
    order = ("tf.function", "function", "object")
    return tuple(sorted(found.values(), key=lambda candidate: (order.index(candidate.kind), candidate.line)))


def _candidates_of(node: ast.stmt) -> Iterator[Candidate]:
    if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.name != "xlaviz_inputs":
        compiled = any(_is_tf_function(decorator) for decorator in node.decorator_list)
        yield Candidate(node.name, "tf.function" if compiled else "function", node.lineno)
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        for target in node.targets:
            if not isinstance(target, ast.Name) or target.id.startswith("_"):
                continue
            if _is_tf_function(node.value):
                yield Candidate(target.id, "tf.function", node.lineno)
            elif _last_name(node.value)[:1].isupper():
                yield Candidate(target.id, "object", node.lineno)


def _is_tf_function(node: ast.expr) -> bool:
    """True for `tf.function`, `tf.function(...)` and `function(...)` imported from TensorFlow."""
    return _last_name(node) == "function"


def _last_name(node: ast.expr) -> str:
    while isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
