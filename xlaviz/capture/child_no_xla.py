"""The same target without XLA: traced, called, timed and profiled."""

from __future__ import annotations

import inspect
import os
import time
import weakref
from typing import Any

import child_run as run  # type: ignore[import-not-found]
from child_errors import Failure, raised  # type: ignore[import-not-found]
from child_report import Reporter, list_folder  # type: ignore[import-not-found]
from child_state import State  # type: ignore[import-not-found]
from child_target import Target  # type: ignore[import-not-found]


class FunctionLog:
    """Every tf.function made from now on, so that its own jit_compile=True can be taken out for the comparison."""

    def __init__(self, tf: Any) -> None:
        self._class = type(tf.function(lambda: None))
        self._init = self._class.__init__
        self._made: list[tuple[Any, dict[str, Any]]] = []  # weak references and arguments
        parameters = inspect.signature(self._init)

        def recording_init(function: Any, *args: Any, **kwargs: Any) -> None:
            self._init(function, *args, **kwargs)
            arguments = parameters.bind(function, *args, **kwargs).arguments
            self._made.append((weakref.ref(function), dict(arguments)))

        self._class.__init__ = recording_init

    def take_out_xla(self, wrapper: Any) -> None:
        """Decorate each but our wrapper anew without jit_compile; what they were traced to is forgotten.

        The wrapper keeps its own graph, with the functions as they were.
        """
        for reference, arguments in self._made:
            function = reference()
            # A SavedModel's restored functions are a subclass, made of finished graphs: nothing to decorate.
            if type(function) is self._class and function is not wrapper:
                again = {
                    **arguments,
                    "self": function,
                    "python_function": function.python_function,
                    "jit_compile": None,
                }
                self._init(**again)


class Plain:
    """The target without XLA. `function` and `concrete` are None where that is impossible: `error` says why.

    `timings` holds the manifest's entries for it, `profile` the folder of its profile or "".
    """

    def __init__(self) -> None:
        self.function: Any = None
        self.concrete: Any = None
        self.error: str | None = None
        self.profile = ""
        self.timings: dict[str, Any] = {"no_xla_call_us": None, "no_xla_trace_s": None, "no_xla_first_call_s": None}


def without_xla(
    tf: Any,
    log: FunctionLog,
    function: Any,
    target: Target,
    inputs: tuple[Any, ...],
    state: State,
    request: dict[str, Any],
    report: Reporter,
) -> Plain:
    """Trace, call, time and profile the target without XLA, from the state in which it was found. `function` stays."""
    plain = Plain()
    report.stage("without XLA", "Tracing without XLA", 0, request["runs"])
    try:
        state.restore()
        log.take_out_xla(function)
        plain.error = _time(tf, target, inputs, request, report, plain)
    except Failure as failure:
        plain.error = failure.message
    except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever it is, the rest of the capture is sound)
        plain.error = raised(error, target.where).message
    if plain.error is None:
        _profile(tf, inputs, target, request, report, plain)
    plain.timings["no_xla_error"] = plain.error
    return plain


def _time(
    tf: Any, target: Target, inputs: tuple[Any, ...], request: dict[str, Any], report: Reporter, plain: Plain
) -> str | None:
    """Fill in `function`, `concrete` and the times; the reason where something was compiled all the same."""
    dump, runs = os.path.join(request["work"], "dump"), request["runs"]
    before = list_folder(dump)
    function = run.wrap(tf, target, xla=False)
    start = time.perf_counter()
    concrete = function.get_concrete_function(*inputs)
    traced = time.perf_counter()
    run.call(function, inputs, target.where)
    called = time.perf_counter()
    for _ in range(request["warmups"]):
        run.call(function, inputs, target.where)
    if list_folder(dump) != before:
        return "Part of the function is compiled with XLA even without jit_compile."

    def tick(done: int) -> None:
        report.stage("without XLA", f"Run {done} of {runs}", done, runs)

    plain.timings["no_xla_call_us"] = run.timed_calls(function, inputs, runs, tick)
    plain.timings["no_xla_trace_s"] = round(traced - start, 3)
    plain.timings["no_xla_first_call_s"] = round(called - traced, 3)
    plain.function, plain.concrete = function, concrete
    return None


def _profile(
    tf: Any, inputs: tuple[Any, ...], target: Target, request: dict[str, Any], report: Reporter, plain: Plain
) -> None:
    folder, runs = os.path.join(request["work"], "no_xla"), request["runs"]

    def tick(done: int) -> None:
        report.stage("without XLA", f"Profiled run {done} of {runs}", done, runs)

    try:
        run.profiled_calls(tf, plain.function, inputs, runs, folder, tick)
        plain.profile = run.profile_file(folder)
    except Failure as failure:
        plain.timings["no_xla_profile_error"] = failure.message
    except (Exception, SystemExit) as error:  # noqa: BLE001 (the times are sound without it)
        plain.timings["no_xla_profile_error"] = raised(error, target.where).message
