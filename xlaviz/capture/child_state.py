"""The variables of a function: their values before its first call are kept, and can be put back."""

from __future__ import annotations

from typing import Any

from child_errors import raised  # type: ignore[import-not-found]


class State:
    """The variables that a concrete function captures or is given, by name, and their values when this was made.

    `error` says in a sentence why they could not be kept, `note` what could not be. Values are numpy arrays on the
    host; restoring reaches variables only: tables and iterators stay as they are.
    """

    def __init__(self, tf: Any, concrete: Any, inputs: tuple[Any, ...]) -> None:
        self.variables: dict[str, Any] = {}
        self.values: dict[str, Any] = {}
        self.error = ""
        self.note = ""
        try:
            given = [value for value in tf.nest.flatten(inputs) if isinstance(value, tf.Variable)]
            found = list({id(v): v for v in (*concrete.variables, *given)}.values())
            for variable in sorted(found, key=lambda variable: str(variable.name)):
                name = _unused(str(variable.name).partition(":")[0], self.variables)
                self.variables[name] = variable
                self.values[name] = variable.numpy()
            self.note = _other_resources(tf, concrete, found)
        except Exception as error:  # noqa: BLE001 (whatever it is, the capture goes on without a comparison)
            self.error = f"The variables' values cannot be kept: {raised(error, 'Reading them').message}"

    def restore(self) -> None:
        """Put the values back. Where that fails `error` says so."""
        try:
            for name, value in self.values.items():
                self.variables[name].assign(value)
        except Exception as error:  # noqa: BLE001 (as above)
            self.error = f"The variables' values cannot be put back: {raised(error, 'Assigning them').message}"


def _unused(name: str, used: dict[str, Any]) -> str:
    number, free = 1, name
    while free in used:
        number += 1
        free = f"{name} ({number})"
    return free


def _other_resources(tf: Any, concrete: Any, variables: list[Any]) -> str:
    handles = {id(variable.handle) for variable in variables}
    captured = getattr(concrete, "captured_inputs", ())
    others = sum(tensor.dtype == tf.resource and id(tensor) not in handles for tensor in captured)
    if not others:
        return ""
    what = "a resource that is no variable" if others == 1 else f"{others} resources that are no variables"
    return f"The function uses {what} (a table, an iterator): it is not put back before each run."
