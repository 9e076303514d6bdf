"""The bundle: a zip file of the dump, the profiles, the tracebacks, the sources and a manifest."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
import time
import zipfile
from typing import Any

from child_errors import Failure  # type: ignore[import-not-found]
from child_report import list_folder  # type: ignore[import-not-found]
from child_trace import Tracebacks, read_sources  # type: ignore[import-not-found]

_BEFORE = re.compile(r"module_(?P<id>\d+)\.(?P<name>.+)\.before_optimizations\.hlo\.pb")
_WRAPPER = "a_inference_f_"  # child_run.wrap names it
_LOST = re.compile(r"Could not write XLA debug data to (?P<file>.+?)[:;] (?:.*; )?(?P<reason>.+)")
OUR_FLAGS = "--xla_dump_hlo_pass_re=.* --xla_dump_hlo_as_proto"


def executed_module(dump: str, before: list[str]) -> dict[str, Any]:
    """Name and id of the wrapper's module: the newest that came into the dump folder after `before` was listed."""
    new = sorted(set(list_folder(dump)).difference(before))
    if not new:
        raise Failure(
            "empty-dump",
            "XLA wrote no dump: it compiled nothing, or something else in the process read XLA_FLAGS first.",
            "A program that sets XLA_FLAGS or calls a compiled function while it is imported can cause this.",
        )
    found = [match for name in new if (match := _BEFORE.fullmatch(name)) and match["name"].startswith(_WRAPPER)]
    if not found:
        raise Failure("empty-dump", f"XLA's dump holds no module of the function ({len(new)} files of others).")
    last = max(found, key=lambda match: int(match["id"]))
    return {"name": last["name"], "id": int(last["id"])}


def compiled_modules(dump: str) -> int:
    """How many modules of the wrapper the dump folder holds: each is one compilation of the function."""
    found = (_BEFORE.fullmatch(name) for name in list_folder(dump))
    return sum(match is not None and match["name"].startswith(_WRAPPER) for match in found)


def lost_snapshots(log: str) -> list[dict[str, str]]:
    """The dump files that XLA says it could not write, most often for a name that is too long."""
    return [
        {"file": os.path.basename(match["file"]), "reason": match["reason"].strip()} for match in _LOST.finditer(log)
    ]


def environment(tf: Any, request: dict[str, Any], user_flags: str) -> dict[str, Any]:
    """What the capture ran on."""
    keras = sys.modules.get("keras")
    return {
        "python": platform.python_version(),
        "tensorflow": tf.__version__,
        "keras": getattr(keras, "__version__", None),
        "numpy": sys.modules["numpy"].__version__,
        "platform": platform.platform(),
        "cpu": {"model": _cpu_model(), "cores": os.cpu_count()},
        "devices": [_device(tf, device) for device in tf.config.list_physical_devices()],
        "xla_flags": f"{user_flags} {OUR_FLAGS}".strip(),
        "exact": request["exact"],
        "intra_op_threads": tf.config.threading.get_intra_op_parallelism_threads(),
    }


def _cpu_model() -> str:
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _device(tf: Any, device: Any) -> str:
    name = str(device.name).replace("/physical_device:", "")
    details = tf.config.experimental.get_device_details(device) if device.device_type == "GPU" else {}
    return f"{name} {details.get('device_name', '')}".strip()


def write_bundle(
    request: dict[str, Any],
    manifest: dict[str, Any],
    snapshots: list[str],
    profiles: dict[str, str],
    found: Tracebacks,
    sources: list[str],
) -> None:
    """Write it under its temporary name and rename it when it is complete: there is never half a bundle."""
    texts = read_sources(sources)
    manifest["sources"] = [{"member": member, "path": path, "bytes": len(text)} for member, path, text in texts]
    try:
        with zipfile.ZipFile(request["partial"], "w", zipfile.ZIP_DEFLATED) as bundle:
            bundle.writestr("manifest.json", json.dumps(manifest, indent=1))
            for name in snapshots:
                bundle.write(os.path.join(request["work"], "dump", name), f"dump/{name}")
            for member, path in profiles.items():
                bundle.write(path, member)
            bundle.writestr("tracebacks.json", json.dumps(found.to_json()))
            for member, _, text in texts:
                bundle.writestr(member, text)
        os.replace(request["partial"], request["out"])
    except OSError as error:
        reason = error.strerror or str(error)
        raise Failure("not-written", f"The bundle {request['out']} cannot be written: {reason}.") from error


def head(request: dict[str, Any]) -> dict[str, Any]:
    """The manifest's first entries."""
    return {
        "format": "xlaviz-bundle",
        "version": 1,
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "xlaviz": request.get("version"),
    }


def hlo_files(dump: str) -> list[str]:
    """The HLO protos among the files of the dump folder."""
    return [name for name in list_folder(dump) if name.endswith(".hlo.pb")]
