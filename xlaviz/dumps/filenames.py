"""What the name of a dumped file says: module, place in the pipeline, pass.

    [TIMESTAMP.]module_NNNN[.MODULE_NAME][.cl_NNN].STATE.ENDING

STATE is matched from the right, since module names and the GPU's `sm_9.0_gpu_after_optimizations` hold dots, and
the module name may be missing (old versions, and names that would have been too long). The build number `cl_NNN` of
TPU dumps is no part of the name. What lies beside the snapshots (buffer assignments, kernels, profiles) is told apart
by STATE alone: a module named `f.6428` makes `f.6428.gemm_fusion.ttir.txt` look like a numbered step.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_FILE = re.compile(r"^(?:\d{10,}\.)?module_(?P<id>\d{4,})(?:\.(?P<rest>.+))?$")
_ENDING = re.compile(r"\.(hlo\.pb\.gz|hlo\.pb|pbtxt|txt|hlo)$")
_BEFORE = re.compile(r"(?:^|\.)before_optimizations$")
_AFTER = re.compile(r"(?:^|\.)(?:(?P<backend>cpu|(?:\w+(?:\.\d+[a-z]?)?_|_)?gpu)_)?after_optimizations$")
_PASS = re.compile(r"(?:^|\.)(?P<number>\d{4,})\.(?P<pipeline>[^.]+)\.after_(?P<after>.+?)\.before_(?P<before>.+)$")
_STEP = re.compile(r"(?:^|\.)(?P<number>\d{4,})\.(?P<name>[^.]+)\.(?P<step>(?:after|before)[_-][^.]+)$")
_BUILD = re.compile(r"(?:^|\.)cl_\d+$")

Kind = Literal["before", "pass", "step", "after"]


@dataclass(frozen=True, slots=True)
class DumpName:
    """One snapshot's file. `number` is XLA's own count along the pipeline, None before and after all passes.

    `pass_name` is empty where no pass ran in between (the start of a pipeline). A `step` is a state inside one pass,
    which `pipeline` then names.
    """

    file: str
    module_id: int
    module_name: str
    kind: Kind
    ending: str
    number: int | None = None
    pipeline: str = ""
    pass_name: str = ""
    backend: str = ""

    @property
    def label(self) -> str:
        """What the snapshot is called in lists."""
        if self.kind == "before":
            return "before optimizations"
        if self.kind == "after":
            return "after optimizations"
        if self.kind == "step":
            return f"{self.pass_name}: {self._step}"
        return self.pass_name or f"{self.pipeline} (start)"

    @property
    def _step(self) -> str:
        return self.file[: -len(self.ending) - 1].rsplit(".", 1)[1].removeprefix("after_").replace("_", " ")


def parse_dump_name(file: str) -> DumpName | None:
    """What `file` (a name without folders) is, or None where it is no HLO snapshot."""
    ending = _ENDING.search(file)
    whole = _FILE.match(file[: ending.start()]) if ending else None
    if ending is None or whole is None or not whole["rest"]:
        return None
    rest, module_id = whole["rest"], int(whole["id"])

    def name(match: re.Match[str], kind: Kind, **parts: str | int) -> DumpName:
        module_name = _BUILD.sub("", rest[: match.start()])
        return DumpName(file, module_id, module_name, kind, ending[1], **parts)  # type: ignore[arg-type]

    if found := _BEFORE.search(rest):
        return name(found, "before")
    if found := _AFTER.search(rest):
        return name(found, "after", backend="gpu" if "gpu" in (found["backend"] or "") else found["backend"] or "")
    if found := _last(_PASS, rest):
        after = found["after"]
        return name(
            found,
            "pass",
            number=int(found["number"]),
            pipeline=found["pipeline"],
            pass_name="" if after == "pipeline-start" else after,
        )
    if found := _last(_STEP, rest):
        return name(found, "step", number=int(found["number"]), pipeline=found["name"], pass_name=found["name"])
    return None


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The match that starts furthest right: a number inside the module's name is not the snapshot's."""
    found = None
    position = 0
    while match := pattern.search(text, position):
        found, position = match, match.start() + 1
    return found
