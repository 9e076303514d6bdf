"""From `FILE.py` and `name.of.a.thing`, or a SavedModel folder, to something that can be called with tensors."""

from __future__ import annotations

import difflib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from child_errors import Failure, count_as_user, raised  # type: ignore[import-not-found]


@dataclass
class Target:
    """What is to be compiled. `call` takes the inputs by position; `owner` keeps a SavedModel's variables alive."""

    file: str
    name: str
    kind: str
    object: Any
    call: Callable[..., Any]
    module: ModuleType | None = None
    owner: Any = None
    signature: list[Any] | None = None

    @property
    def where(self) -> str:
        """The name for sentences."""
        return f"{self.name} in {os.path.basename(self.file)}"


def check_file(file: str) -> None:
    """Raise a Failure for a file that is missing or not Python: this needs no TensorFlow, so it is said at once."""
    if os.path.isdir(file):
        if not os.path.isfile(os.path.join(file, "saved_model.pb")):
            raise Failure("missing-file", f"{file} is a folder but not a SavedModel: it has no saved_model.pb.")
        return
    if not os.path.isfile(file):
        raise Failure("missing-file", f"There is no file {file}.")
    base = os.path.basename(file)
    try:
        with open(file, "rb") as source:
            compile(source.read(), file, "exec", dont_inherit=True)
    except SyntaxError as error:
        at = f" in line {error.lineno}" if error.lineno else ""
        raise Failure("not-python", f"{base} is not valid Python: {error.msg}{at}.") from error
    except ValueError as error:  # null bytes, before Python 3.12
        raise Failure("not-python", f"{base} is not a Python file: {error}.") from error


def load_target(tf: Any, file: str, name: str) -> Target:
    """The target, or a Failure that says what is wrong with the file or the name."""
    if os.path.isdir(file):
        return _saved_model(tf, file, name or "serving_default")
    count_as_user(file)
    module = _import_file(file)
    thing = _look_up(tf, module, file, name)
    return Target(file, name, kind_of(tf, thing) or "", thing, thing, module)


def kind_of(tf: Any, thing: Any) -> str | None:
    """The kind of a thing that can be captured, in words, or None."""
    if isinstance(thing, type) or not callable(thing):
        return None
    if isinstance(thing, type(tf.function(lambda: None))):
        return "tf.function"
    for name in ("keras", "tf_keras"):
        keras = sys.modules.get(name)
        if keras is not None and isinstance(thing, keras.layers.Layer):
            return "Keras model" if isinstance(thing, keras.Model) else "Keras layer"
    if inspect.ismethod(thing):
        return "bound method"
    return "function" if inspect.isfunction(thing) else "callable object"


def _saved_model(tf: Any, folder: str, name: str) -> Target:
    try:
        loaded = tf.saved_model.load(folder)
    except Exception as error:
        raise Failure("not-loadable", f"The SavedModel {folder} cannot be loaded: {error}") from error
    signatures = dict(loaded.signatures)
    if name not in signatures:
        known = ", ".join(sorted(signatures)) or "none"
        raise Failure("no-target", f"The SavedModel {folder} has no signature '{name}'; it has: {known}.")
    signature = signatures[name]
    # By name: the order in which they are stored changes from load to load.
    specs = dict(sorted(signature.structured_input_signature[1].items()))

    def call(*inputs: Any) -> Any:
        return signature(**dict(zip(specs, inputs)))  # noqa: B905 (Python 3.9 has no strict; the count was checked)

    return Target(folder, name, "SavedModel signature", signature, call, owner=loaded, signature=list(specs.values()))


def _import_file(file: str) -> ModuleType:
    file = os.path.abspath(file)
    base = os.path.basename(file)
    stem = os.path.splitext(base)[0]
    name = "xlaviz_target" if stem in sys.modules else stem
    sys.path.insert(0, os.path.dirname(file))
    sys.argv = [file]
    # The loader is named, for a file need not end in .py.
    loader = importlib.machinery.SourceFileLoader(name, file)
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except SystemExit as error:
        hint = 'Put what ends the program under `if __name__ == "__main__":`.'
        raise Failure("import-raised", f"{base} ended the program while it was imported.", hint) from error
    except Exception as error:
        raise _import_failure(error, file) from error
    return module


def _import_failure(error: Exception, file: str) -> Failure:
    base = os.path.basename(file)
    failure = raised(error, f"{base}, while it was imported,")
    failure.kind = "import-raised"
    if isinstance(error, ModuleNotFoundError):
        failure.hint = f"The module has to be installed for the Python that captures, {sys.executable}."
    return failure


def _look_up(tf: Any, module: ModuleType, file: str, name: str) -> Any:
    base = os.path.basename(file)
    thing: Any = module
    for part in name.split("."):
        try:
            thing = getattr(thing, part)
        except AttributeError:
            raise _no_such(tf, module, base, name) from None
    if isinstance(thing, type):
        hint = "Name an instance of it, or one of an instance's methods."
        raise Failure("no-target", f"'{name}' in {base} is a class, which cannot be called with tensors.", hint)
    if not callable(thing):
        raise Failure("no-target", f"'{name}' in {base} is a {type(thing).__name__}, not something to call.")
    return thing


def _no_such(tf: Any, module: ModuleType, base: str, name: str) -> Failure:
    names = {
        key: kind
        for key, value in vars(module).items()
        if not key.startswith("_")
        and key != "xlaviz_inputs"
        and (kind := kind_of(tf, value)) is not None
        and (kind != "function" or value.__module__ == module.__name__)
    }
    near = difflib.get_close_matches(name, names, 1)
    known = ", ".join(f"{key} ({kind})" for key, kind in names.items()) or "nothing that can be captured"
    hint = f"Did you mean {near[0]}?" if near else ""
    return Failure("no-target", f"{base} has no '{name}'; it has: {known}.", hint)
