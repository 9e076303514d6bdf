"""Captures one function: a program of its own, run under any Python (3.9 or later) that has TensorFlow 2.18 or later.

    python child.py '{"file": "examples.py", "target": "train_step", "args": [], "out": "a.xlaviz", ...}'

It imports nothing of xlaviz: standard library, numpy, TensorFlow, and the child_*.py files beside it, by their plain
names. It reports on standard output, one JSON object a line. request.py holds the keys of the request.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import traceback
from typing import Any

import child_pack as pack  # type: ignore[import-not-found]
import child_run as run  # type: ignore[import-not-found]
from child_compare import compare  # type: ignore[import-not-found]
from child_errors import Failure, raised  # type: ignore[import-not-found]
from child_inputs import make_inputs, spec_of  # type: ignore[import-not-found]
from child_memory import memory  # type: ignore[import-not-found]
from child_no_xla import FunctionLog, without_xla  # type: ignore[import-not-found]
from child_peaks import tensorflow_peaks  # type: ignore[import-not-found]
from child_report import Reporter, die_with_parent, list_folder  # type: ignore[import-not-found]
from child_state import State  # type: ignore[import-not-found]
from child_target import Target, check_file, load_target  # type: ignore[import-not-found]
from child_trace import tracebacks  # type: ignore[import-not-found]

_OLDEST = (2, 18)


def main(arguments: list[str]) -> int:
    """Do what the request in the one argument says; 0 after a bundle was written, else 1."""
    request: dict[str, Any] = json.loads(arguments[0])
    # AutoGraph leaves a file for each function in the folder for temporary files when the process is killed.
    tempfile.tempdir = request["work"]
    report = Reporter(request["work"])
    die_with_parent(request["work"], request["partial"])
    try:
        capture(request, report)
    except (Failure, SystemExit) as error:
        # A program may end itself while its function is called.
        failure = error if isinstance(error, Failure) else raised(error, "The program")
        report.failed(failure.kind, failure.message, failure.hint, failure.detail)
        return 1
    except Exception as error:  # noqa: BLE001 (a bug of ours: the parent has to hear of it)
        message = f"The capture ended with an error of its own: {type(error).__name__}: {error}"
        report.failed("internal", message, "Please report it with the details.", traceback.format_exc())
        return 1
    report.done(request["out"])
    return 0


def capture(request: dict[str, Any], report: Reporter) -> None:
    """Import, trace, compile, profile, compare and pack."""
    work = request["work"]
    dump = os.path.join(work, "dump")
    check_file(request["file"])
    report.stage("importing", "Importing TensorFlow")
    user_flags = os.environ.get("XLA_FLAGS", "")
    start = time.perf_counter()
    tf = import_tensorflow(dump, user_flags, exact=request["exact"])
    log = FunctionLog(tf)
    report.stage("importing", f"Importing {os.path.basename(request['file'])}")
    target = load_target(tf, request["file"], request["target"])
    import_s = time.perf_counter() - start
    inputs = make_inputs(tf, target, request["args"])
    tf.config.run_functions_eagerly(False)

    report.stage("tracing", f"Tracing {target.name}")
    function, concrete, trace_s = run.trace(tf, target, inputs)
    state = State(tf, concrete, inputs)
    before = list_folder(dump)
    report.stage("compiling", f"Compiling {target.name}")
    result, compile_s = run.compile_call(tf, function, inputs, target.where, report, work)
    manifest = pack.head(request)
    manifest["target"] = describe(tf, target, inputs, result)
    manifest["module"] = pack.executed_module(dump, before)
    manifest["environment"] = pack.environment(tf, request, user_flags)

    timings = {"import_s": round(import_s, 3), "trace_s": round(trace_s, 3), "compile_s": round(compile_s, 3)}
    manifest["runs"] = measure(tf, function, target, inputs, request, report, timings)
    manifest["tracing_count"] = function.experimental_get_tracing_count()
    manifest["recompilations"] = {
        "tracing_count": manifest["tracing_count"],
        "compiled": pack.compiled_modules(dump),
    }
    snapshots = pack.hlo_files(dump)
    plain = without_xla(tf, log, function, target, inputs, state, request, report)
    manifest["timings"] = {**timings, **plain.timings}
    manifest["memory"] = memory(tf, function, plain, inputs, target.where)
    manifest["comparison"] = compare(tf, function, concrete, plain, inputs, state, target.where, report)
    report.stage("measuring peaks", "Measuring the peaks of this machine")
    manifest["peaks"] = tensorflow_peaks(tf)
    manifest["warmups"] = request["warmups"]
    manifest["lost_snapshots"] = pack.lost_snapshots(report.log_text())

    report.stage("packing", "Writing the bundle")
    # Without XLA an op can have another number in its name, or be there alone.
    found = tracebacks(*(traced.graph for traced in (concrete, plain.concrete) if traced is not None))
    own = [] if target.module is None else [os.path.abspath(target.file)]
    profiles = {
        "profile/run.xplane.pb": run.profile_file(os.path.join(work, "run")),
        "profile/compile.xplane.pb": run.profile_file(os.path.join(work, "compile")),
        **({"profile/no_xla.xplane.pb": plain.profile} if plain.profile else {}),
    }
    pack.write_bundle(request, manifest, snapshots, profiles, found, list(dict.fromkeys([*own, *found.files()])))


def import_tensorflow(dump: str, user_flags: str, *, exact: bool) -> Any:
    """TensorFlow, told to dump every pass: XLA reads its flags once, at its first use in the process."""
    # XLA takes quotes, which a folder with a space in its name needs.
    os.environ["XLA_FLAGS"] = f"{user_flags} --xla_dump_to='{dump}' {pack.OUR_FLAGS}".strip()
    # Errors have to reach the log: a snapshot that XLA could not write is only mentioned there.
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "1"
    try:
        import tensorflow as tf
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == "tensorflow":
            message = f"The Python that captures, {sys.executable}, has no TensorFlow."
        else:
            message = f"TensorFlow cannot be imported by {sys.executable}: {error}"
        hint = "Install it there (pip install 'xlaviz[tensorflow]'), or choose another Python that has it."
        raise Failure("no-tensorflow", message, hint) from error
    version = tuple(int(part) for part in tf.__version__.split(".")[:2])
    if version < _OLDEST:
        message = (
            f"The Python that captures, {sys.executable}, has TensorFlow {tf.__version__}; 2.18 or later is needed."
        )
        raise Failure("no-tensorflow", message, "Install a newer one there, or choose another Python.")
    if exact:
        # On one thread every kernel ends where its event ends.
        tf.config.threading.set_intra_op_parallelism_threads(1)
    return tf


def measure(
    tf: Any,
    function: Any,
    target: Target,
    inputs: tuple[Any, ...],
    request: dict[str, Any],
    report: Reporter,
    timings: dict[str, Any],
) -> int:
    """Warm up, time the calls and profile them; the number of profiled runs."""
    runs, warmups = request["runs"], request["warmups"]
    timings["xla_warmup_us"] = []
    for done in range(warmups):
        report.stage("warming up", f"Warm-up {done + 1} of {warmups}", done, warmups)
        start = time.perf_counter()
        run.call(function, inputs, target.where)
        timings["xla_warmup_us"].append(round((time.perf_counter() - start) * 1e6, 1))

    def tick(stage: str, text: str, done: int) -> None:
        report.stage(stage, f"{text} {done} of {runs}", done, runs)

    timings["xla_call_us"] = run.timed_calls(function, inputs, runs, lambda done: tick("timing", "Timed call", done))
    folder = os.path.join(request["work"], "run")
    made: int = run.profiled_calls(
        tf, function, inputs, runs, folder, lambda done: tick("profiling", "Profiled run", done)
    )
    return made


def describe(tf: Any, target: Target, inputs: tuple[Any, ...], result: Any) -> dict[str, Any]:
    """The manifest's entry for the target."""
    return {
        "file": os.path.basename(os.path.normpath(target.file)),
        "path": target.file,
        "name": target.name,
        "kind": target.kind,
        "args": [spec_of(value) for value in tf.nest.flatten(inputs)],
        "outputs": [spec_of(value) for value in tf.nest.flatten(result) if value is not None],
    }


if __name__ == "__main__":
    # Our own folder goes off the path: a user's file that imports `request` or `runner` means its own.
    del sys.path[0]
    sys.exit(main(sys.argv[1:]))
