"""One run with XLA, the same again, and one without, from the same state: what comes out, and how far apart it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from child_errors import Failure, raised  # type: ignore[import-not-found]
from child_no_xla import Plain  # type: ignore[import-not-found]
from child_numbers import compare_arrays, entry  # type: ignore[import-not-found]
from child_report import Reporter  # type: ignore[import-not-found]
from child_run import materialise  # type: ignore[import-not-found]
from child_state import State  # type: ignore[import-not-found]

_RANDOM = re.compile(
    r"Random|Rng|Multinomial|Shuffle|SampleDistorted|(Stateful|Parameterized).*(Normal|Uniform|Binomial)"
)
# Those draw from a seed or a variable, which is put back before each run.
_REPEATS = ("Stateless", "Stateful", "Rng")

Key = tuple[str, str]


def compare(
    tf: Any,
    function: Any,
    concrete: Any,
    plain: Plain,
    inputs: tuple[Any, ...],
    state: State,
    where: str,
    report: Reporter,
) -> dict[str, Any]:
    """The manifest's `comparison`; never raises. The variables' values are those of `state` before each run and after.

    Variables that no run changes are left out.
    """
    found: dict[str, Any] = {"outputs": [], "variables": [], "error": None, "repeatable": None, "random_ops": []}
    found["note"] = state.note
    report.stage("comparing", "Comparing with and without XLA", 0, 3)
    try:
        found["random_ops"] = random_ops(concrete)
        if plain.error is not None or state.error:
            found["error"] = plain.error or state.error
            return found
        _runs(tf, function, plain, inputs, state, report, found)
        found["error"] = state.error or None
    except Failure as failure:
        found["error"] = failure.message
    except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever it is, the rest of the capture is sound)
        found["error"] = raised(error, where).message
    state.restore()
    return found


def _runs(
    tf: Any,
    function: Any,
    plain: Plain,
    inputs: tuple[Any, ...],
    state: State,
    report: Reporter,
    found: dict[str, Any],
) -> None:
    first = dict(_results(tf, function, inputs, state))
    report.stage("comparing", "Running once more with XLA", 1, 3)
    again = {
        key: compare_arrays(first[key], array)
        for key, array in _results(tf, function, inputs, state)
        if array.shape == first[key].shape
    }
    found["repeatable"] = len(again) == len(first) and not any(difference.differing for difference in again.values())
    report.stage("comparing", "Running without XLA", 2, 3)
    why = _about_random(found["random_ops"])
    for (kind, name), array in _results(tf, plain.function, inputs, state):
        xla = first[kind, name]
        change = _change(state.values[name], xla, array) if kind == "variables" else None
        if change == 0:
            continue
        made = entry(kind, name, xla, again.get((kind, name)), array, why)
        if change is not None and not made["within"]:
            made["note"] = f"The run changes it by up to {change:.2g}. {made['note']}".strip()
        found[kind].append(made)


def _results(tf: Any, function: Any, inputs: tuple[Any, ...], state: State) -> Iterator[tuple[Key, Any]]:
    """One run from the kept state: its outputs, then its variables, each read when it is asked for."""
    state.restore()
    result = function(*inputs)
    materialise(result)
    for name, tensor in named(tf, result, "output"):
        if _is_number(tensor.dtype):
            yield ("outputs", name), tensor.numpy()
    for name, variable in state.variables.items():
        if _is_number(variable.dtype):
            yield ("variables", name), variable.numpy()


def named(tf: Any, value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The tensors of a structure by name: output, output[0], output['logits'], output.loss of a named tuple."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from named(tf, item, f"{name}[{key!r}]")
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        for field in value._fields:
            yield from named(tf, getattr(value, field), f"{name}.{field}")
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from named(tf, item, f"{name}[{number}]")
    elif tf.is_tensor(value) and hasattr(value, "numpy") and hasattr(value, "dtype"):
        parts = tf.nest.flatten(value, expand_composites=True)
        for number, part in enumerate(parts):
            yield (name if len(parts) == 1 else f"{name}, part {number}"), part


def random_ops(concrete: Any) -> list[str]:
    """The types of all ops that draw random numbers, in the function and in those it calls."""
    graph = concrete.graph.as_graph_def()
    types = {node.op for node in graph.node}
    types.update(node.op for function in graph.library.function for node in function.node_def)
    return sorted(op for op in types if _RANDOM.search(op))


def _about_random(ops: list[str]) -> str:
    if any(not op.startswith(_REPEATS) for op in ops):
        return "The function draws random numbers, and other ones in every run: outputs differ with XLA or without."
    return "The function draws random numbers: XLA's need not be those of TensorFlow." if ops else ""


def _change(before: Any, *after: Any) -> float | None:
    """The largest change of a variable in a run; 0 where no run changed it, None where that has no size."""
    if any(array.shape != before.shape for array in after):
        return None
    found = [compare_arrays(before, array) for array in after]
    return None if any(difference.lonely for difference in found) else max(difference.max_abs for difference in found)


def _is_number(dtype: Any) -> bool:
    return bool(dtype.is_floating or dtype.is_complex or dtype.is_integer or dtype.is_bool)
