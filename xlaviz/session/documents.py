"""Opened documents and what is read of them as a whole. What was opened and read before is kept for the next call."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.document import Document, open_document
from xlaviz.dumps.files import is_folder
from xlaviz.dumps.recompilations import differing_shapes, groups, parameter_shapes
from xlaviz.dumps.sequence import PassSequence, Snapshot
from xlaviz.dumps.side_files import SideFile, kind_of
from xlaviz.hlo.model import HloModule
from xlaviz.profile.kernels import KernelTable
from xlaviz.profile.profile import Profile
from xlaviz.profile.progress import Report as Report
from xlaviz.profile.progress import silent as silent

MODULES_KEPT = 6
MAX_TEXT_BYTES = 4 << 20


@dataclass(slots=True)
class _Opened:
    """A document and the modules read last."""

    document: Document
    stamp: int
    modules: OrderedDict[tuple[str, int], HloModule] = field(default_factory=OrderedDict)
    last_profile: tuple[str, Profile | None] | None = None
    last_table: tuple[tuple[PassSequence, str], KernelTable] | None = None
    """The kernels of a module on a device: all that is said of times begins with them."""

    def profile(self, sequence: PassSequence, report: Report) -> Profile | None:
        """The profile the module was timed in, the last one read kept."""
        key = sequence.recorded.file if sequence.recorded is not None else ""
        if self.last_profile is None or self.last_profile[0] != key:
            self.last_profile = (key, self.document.read_profile(sequence, report))
        return self.last_profile[1]

    def module(self, snapshot: Snapshot) -> HloModule:
        key = (snapshot.file, snapshot.part)
        module = self.modules.pop(key, None)
        if module is None:
            module = self.document.read_module(snapshot)
        self.modules[key] = module
        while len(self.modules) > MODULES_KEPT:
            self.modules.popitem(last=False)
        return module


_opened: dict[Path, _Opened] = {}


def opened_at(path: Path) -> _Opened:
    """The document at `path`, opened anew where the file has changed since."""
    is_folder(path)  # what is missing or cannot be looked at is said there
    stamp = path.stat().st_mtime_ns
    known = _opened.get(path)
    if known is None or known.stamp != stamp:
        if known is not None:
            known.document.close()
        known = _opened[path] = _Opened(open_document(path), stamp)
    return known


def close_all() -> None:
    """Forget and close every document."""
    while _opened:
        _opened.popitem()[1].document.close()


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """What the window needs of a document at once."""

    path: Path
    sequences: tuple[PassSequence, ...]
    main_index: int
    manifest: dict[str, object]
    side_files: tuple[tuple[SideFile, ...], ...]
    """What lies beside each module's snapshots, in the order of `sequences`."""
    loose_files: tuple[SideFile, ...]
    """What belongs to no module."""

    def title(self, sequence: PassSequence) -> str:
        """What people call a module: the captured function with its inputs, else the name without TensorFlow's tail."""
        target = self.manifest.get("target")
        if isinstance(target, dict) and sequence == self.sequences[self.main_index]:
            return f"{target.get('name', '')} ({', '.join(target.get('args', ()))})"
        return sequence.name.split("__XlaMustCompile")[0].removeprefix("a_inference_") or sequence.name

    @property
    def environment(self) -> str:
        """Where a capture was made, in some words; empty for anything else."""
        environment = self.manifest.get("environment")
        if not isinstance(environment, dict):
            return ""
        return f"TensorFlow {environment.get('tensorflow', '?')}"

    def sequence(self, name: str | None = None) -> PassSequence:
        """The module called `name`, or with that id; a part of the name will do where it fits one alone. The main
        one where `name` is None. Of `name@part` and `name@part@part` every part is the run or the host that the module
        was recorded in, or, where none is called so, in the name of one."""
        if name is None:
            return self.sequences[self.main_index]
        found = self._addressed(name)
        if len(found) != 1:
            what = "fits several modules" if found else "is no module"
            known = ", ".join(map(_described, (found or self.sequences)[:8]))
            raise XlavizError(f"'{name}' {what} of {self.path}.", hint=f"Modules: {known}.{self._how_to_write(found)}")
        return found[0]

    def _addressed(self, name: str) -> list[PassSequence]:
        parts: list[str] = []
        found = self._named(name)
        while not found and "@" in name:
            name, _, part = name.rpartition("@")
            parts.append(part)
            found = self._named(name)
        for part in parts:
            found = _recorded_in(part, found)
        return found

    def _named(self, name: str) -> list[PassSequence]:
        exact = [s for s in self.sequences if name in (s.name, str(s.id))]
        return exact or [s for s in self.sequences if name in s.name]

    def _how_to_write(self, found: list[PassSequence]) -> str:
        """The shortest form that tells these modules apart, with the first of them; nothing where none does."""
        for form in _FORMS if found else ():
            if all(self._addressed(_address(form, sequence)) == [sequence] for sequence in found):
                return f" Write {form}, e.g. '{_address(form, found[0])}'."
        return ""


_FORMS = ("NAME", "ID", "NAME@HOST", "NAME@RUN", "NAME@RUN@HOST", "ID@HOST", "ID@RUN", "ID@RUN@HOST")
"""How a module may be addressed."""


def _address(form: str, sequence: PassSequence) -> str:
    recorded = sequence.recorded
    run, host = (recorded.run, recorded.host) if recorded is not None else ("", "")
    parts = {"NAME": sequence.name, "ID": str(sequence.id), "RUN": run, "HOST": host}
    return "@".join(parts[part] for part in form.split("@"))


def _recorded_in(part: str, sequences: list[PassSequence]) -> list[PassSequence]:
    """Those whose run or host is called so, else those with that in the name of one."""
    places = [(s, (s.recorded.run, s.recorded.host)) for s in sequences if s.recorded is not None]
    exact = [s for s, names in places if part in names]
    return exact or [s for s, names in places if any(part in name for name in names)]


def _described(sequence: PassSequence) -> str:
    where = f", {sequence.recorded.text}" if sequence.recorded is not None and sequence.recorded.text else ""
    return f"{sequence.id} ({sequence.name}{where})"


def open_info(report: Report, path: Path) -> DocumentInfo:
    document = opened_at(path).document
    if document.profiles is not None:
        document.profiles.find_main(report)
    main = document.sequences.index(document.main_sequence)
    beside = document.side_files
    files = tuple(tuple(beside.get(sequence, ())) for sequence in document.sequences)
    return DocumentInfo(path, document.sequences, main, document.manifest, files, tuple(beside.get(None, ())))


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """What the list of modules says of one: its size after all passes, and what sets it apart from other compilations
    of the same function. `instructions` is None where it cannot be read, for the reason that `problem` gives."""

    instructions: int | None
    apart: str = ""
    problem: str = ""


def module_facts(report: Report, path: Path) -> tuple[ModuleFacts, ...]:
    """The facts of every module of the document, in its order; reads the last snapshot of each."""
    document = opened_at(path).document
    sizes: dict[int, int] = {}
    shapes: dict[int, tuple[str, ...]] = {}
    problems: dict[int, str] = {}
    for place, sequence in enumerate(document.sequences):
        report(place / len(document.sequences), f"reading {sequence.name}")
        try:
            module = document.read_module(sequence.snapshots[-1])
        except XlavizError as error:
            problems[place] = str(error)
            continue
        sizes[place], shapes[place] = module.instruction_count, parameter_shapes(module)
    apart: dict[int, str] = {}
    for group in groups(document.sequences):
        places = [document.sequences.index(sequence) for sequence in group]
        if len(group) > 1:
            apart |= differing_shapes({place: shapes[place] for place in places if place in shapes})
    count = range(len(document.sequences))
    return tuple(ModuleFacts(sizes.get(p), apart.get(p, ""), problems.get(p, "")) for p in count)


def side_file_text(report: Report, path: Path, name: str) -> str:
    """A side file as text, cut at MAX_TEXT_BYTES; of one that is no text, only what it is."""
    data = opened_at(path).document.files.read(name)
    if b"\0" in data[:4096]:
        return f"{name} is no text: {len(data)} bytes of {kind_of(name)}."
    cut = f"\n… cut after {MAX_TEXT_BYTES} of {len(data)} bytes" if len(data) > MAX_TEXT_BYTES else ""
    return data[:MAX_TEXT_BYTES].decode("utf-8", "replace") + cut
