"""The tensors a target is called with: from specs, from the user's `xlaviz_inputs`, or from the target itself."""

from __future__ import annotations

import inspect
import os
from typing import Any

from child_errors import Failure, raised  # type: ignore[import-not-found]
from child_spec import Spec, parse_spec  # type: ignore[import-not-found]
from child_target import Target  # type: ignore[import-not-found]

UNKNOWN_SIZE = 32
"""Stands for a size that a signature leaves open (None), such as the batch."""

_HOW = "Give each as --arg 'f32[32,784]', or write a function xlaviz_inputs() in the file that returns them as a tuple."


def make_inputs(tf: Any, target: Target, specs: list[str]) -> tuple[Any, ...]:
    """The inputs, by position: specs first, then `xlaviz_inputs()`, then the signature, then a Keras model's inputs."""
    inputs: tuple[Any, ...] | None = None
    if specs:
        inputs = _from_specs(tf, specs)
    else:
        inputs = _from_user(tf, target)
        if inputs is None:
            inputs = _from_target(tf, target)
    if inputs is None:
        parameters = _signature(target)
        if parameters is None or _needs_inputs(parameters):
            raise Failure("no-inputs", f"Nothing says what inputs {target.where} takes.", _HOW)
        inputs = ()
    return _fit(target, inputs)


def spec_of(value: Any) -> str:
    """`f32[32,784]` for a tensor, the text of anything else."""
    shape = getattr(value, "shape", None)
    dtype = getattr(getattr(value, "dtype", None), "name", None)
    if shape is None or dtype is None:
        return repr(value)[:80]
    sizes = "" if getattr(shape, "rank", 0) is None else ",".join("?" if size is None else str(size) for size in shape)
    return str(Spec(dtype, ())).replace("[]", f"[{sizes}]")


def _from_specs(tf: Any, texts: list[str]) -> tuple[Any, ...]:
    fill = _Filler(tf)
    try:
        specs = [parse_spec(text) for text in texts]
    except ValueError as error:
        raise Failure("bad-spec", str(error)) from error
    return tuple(fill(spec.dtype, spec.shape) for spec in specs)


class _Filler:
    """Makes tensors up: floats from a standard normal, integers 0 or 1 (valid as labels almost anywhere), seeded."""

    def __init__(self, tf: Any) -> None:
        import numpy as np  # not before TensorFlow: a Python without both is told about TensorFlow

        self._tf = tf
        self._random = np.random.default_rng(0)

    def __call__(self, dtype: str, shape: tuple[int, ...]) -> Any:
        tf = self._tf
        kind = tf.as_dtype(dtype)
        if kind.is_floating or kind.is_complex:
            return tf.cast(tf.constant(self._random.standard_normal(shape)), kind)
        if kind.is_integer or kind.is_bool:
            return tf.cast(tf.constant(self._random.integers(0, 2, shape)), kind)
        raise Failure("no-inputs", f"An input of type {dtype} cannot be made up.", _HOW)


def _from_user(tf: Any, target: Target) -> tuple[Any, ...] | None:
    make = getattr(target.module, "xlaviz_inputs", None)
    if make is None:
        return None
    base = os.path.basename(target.file)
    try:
        given = make()
    except Exception as error:
        raise raised(error, f"xlaviz_inputs in {base}") from error
    if isinstance(given, dict):
        if target.name not in given and (_declared(target) is not None or target.kind.startswith("Keras")):
            return None
        if target.name not in given:
            known = ", ".join(map(str, given)) or "none"
            raise Failure("no-inputs", f"xlaviz_inputs in {base} has nothing for '{target.name}', only for: {known}.")
        given = given[target.name]
    import numpy as np

    inputs = tuple(given) if isinstance(given, (tuple, list)) else (given,)

    def to_tensor(value: Any) -> Any:
        # Plain Python values stay what they are: the user's function may take them as static arguments.
        return tf.convert_to_tensor(value) if isinstance(value, (np.ndarray, np.generic)) else value

    return tuple(tf.nest.map_structure(to_tensor, inputs))


def _from_target(tf: Any, target: Target) -> tuple[Any, ...] | None:
    structure: Any = _declared(target)
    if structure is None and target.kind.startswith("Keras"):
        structure = _keras_inputs(tf, target.object)
    if structure is None:
        return None

    fill = _Filler(tf)

    def make(spec: Any) -> Any:
        if getattr(spec.shape, "rank", 0) is None:
            raise Failure("no-inputs", f"The signature of {target.where} leaves the number of dimensions open.", _HOW)
        sizes = tuple(UNKNOWN_SIZE if size is None else int(size) for size in spec.shape)
        return fill(tf.as_dtype(spec.dtype).name, sizes)

    return tuple(tf.nest.map_structure(make, structure))


def _declared(target: Target) -> tuple[Any, ...] | None:
    """The TensorSpecs of a SavedModel's signature or of a tf.function with an input_signature."""
    if target.signature is not None:
        return tuple(target.signature)
    thing = target.object.__call__ if target.kind == "callable object" else target.object
    signature = getattr(thing, "input_signature", None)
    return None if signature is None else tuple(signature)


def _keras_inputs(tf: Any, layer: Any) -> tuple[Any, ...] | None:
    """The symbolic inputs of a model, or the shape a layer or subclassed model was built for."""
    try:
        inputs = layer.input
    except (AttributeError, ValueError):
        inputs = None  # not a functional model, or not built yet
    if inputs is not None:
        return (inputs,)
    config = layer.get_build_config() if getattr(layer, "built", False) else None
    shape = (config or {}).get("input_shape")
    if not shape or not all(size is None or isinstance(size, int) for size in shape):
        return None
    return (tf.TensorSpec(shape, layer.compute_dtype),)


def _signature(target: Target) -> inspect.Signature | None:
    if target.signature is not None:
        return None
    thing = target.object
    if target.kind.startswith("Keras"):
        thing = thing.call
    python = getattr(thing, "python_function", thing)
    try:
        return inspect.signature(python)
    except (TypeError, ValueError):
        return None


def _needs_inputs(signature: inspect.Signature) -> bool:
    free = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return any(p.default is p.empty and p.kind not in free for p in signature.parameters.values())


def _fit(target: Target, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs, once their number fits. Several specs for a Keras model that takes a list are given as that list."""
    declared = _declared(target)
    if declared is not None:
        _match(target, declared, inputs)
        return inputs
    if target.kind == "Keras model" and len(inputs) > 1 and len(getattr(target.object, "inputs", ())) == len(inputs):
        return (list(inputs),)
    signature = _signature(target)
    if signature is None:
        return inputs
    try:
        signature.bind(*inputs)
    except TypeError as error:
        names = ", ".join(signature.parameters)
        message = f"{target.where} takes ({names}), which does not fit the {len(inputs)} given: {error}."
        raise Failure("wrong-count", message) from error
    return inputs


def _match(target: Target, declared: tuple[Any, ...], inputs: tuple[Any, ...]) -> None:
    """Raise a Failure for inputs that the signature does not allow."""
    specs = ", ".join(f"{getattr(spec, 'name', None) or 'input'} {spec_of(spec)}" for spec in declared)
    if len(inputs) != len(declared):
        raise Failure("wrong-count", f"{target.where} takes ({specs}), which does not fit the {len(inputs)} given.")
    for number, spec in enumerate(declared):
        allows = getattr(spec, "is_compatible_with", None)
        if allows is not None and not allows(inputs[number]):
            message = f"Input {number + 1} of {target.where} is {spec_of(inputs[number])}, but it takes ({specs})."
            raise Failure("wrong-input", message)
