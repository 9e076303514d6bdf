"""The profiles of a document: which programs each has, their modules and their times, read when they are asked for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import IO, TypeVar

from google.protobuf.message import DecodeError

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.agreement import proto_names
from xlaviz.dumps.files import GZIP, FolderFiles, SingleFile
from xlaviz.dumps.log_folder import Found
from xlaviz.dumps.sequence import Recorded
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.read import unpacked
from xlaviz.profile.modules import EmbeddedModules, EmbeddedProgram, embedded_programs
from xlaviz.profile.profile import Profile, read_profile
from xlaviz.profile.progress import Report, silent
from xlaviz.profile.sampling import LARGE_BYTES
from xlaviz.profile.wire import FileBytes
from xlaviz.profile.xplane import find_planes

READ_AT_ONCE_BYTES = 8 << 20
"""How much of a document's profiles is read to list what ran; of the others is listed what they carry a module of."""
NO_PROGRAM = -1
"""The `part` of a snapshot that stands for a file without any program to choose."""

_PROFILES_KEPT = 2
_FILES_KEPT = 4
_LINES_NAMED = 6
_DERIVED = frozenset(
    (
        "Steps",
        "XLA Modules",
        "XLA Ops",
        "Framework Name Scope",
        "Framework Ops",
        "TensorFlow Name Scope",
        "TensorFlow Ops",
        "Launch Stats",
        "Source code",
    )
)
"""Lines that XProf works out from those a profiler records."""

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Listing:
    """What is known of a profile at opening. `programs` maps ids to module names: those that ran where the file
    `is_read`, else those it carries modules of. `problem` is why it cannot be read, None where it can."""

    found: Found
    programs: Mapping[int, str]
    is_read: bool
    problem: XlavizError | None = None


class ProfileFiles:
    """The profiles among `files`, in the order given: the newest run first. Nothing here raises but what says so."""

    def __init__(self, files: FolderFiles | SingleFile, found: tuple[Found, ...]) -> None:
        self.files = files
        self._profiles: OrderedDict[str, Profile] = OrderedDict()
        self._embedded: OrderedDict[str, dict[int, EmbeddedProgram]] = OrderedDict()
        self._main: tuple[str, int] | None = None
        left_bytes = READ_AT_ONCE_BYTES
        listings = []
        for one in found:
            size = self._size(one.file)
            listings.append(self._list(one, is_read=size <= left_bytes))
            left_bytes -= size if size <= left_bytes else 0
        if len(listings) == 1 and not listings[0].programs and not listings[0].is_read:
            listings = [self._list(found[0], is_read=True)]  # nothing else tells what there is to choose
        self.listings: tuple[Listing, ...] = tuple(listings)
        self._of = {listing.found.file: listing for listing in listings}

    def __contains__(self, file: object) -> bool:
        return file in self._of

    def profile(self, file: str, report: Report = silent) -> Profile:
        """The whole profile. Raises XlavizError where it is damaged."""
        return _keep(self._profiles, file, lambda name: self._read(name, report), _PROFILES_KEPT)

    def module(self, file: str, program_id: int) -> HloModule:
        """The module as it ran, parsed anew each time. Raises XlavizError, which says what the file has instead."""
        listing = self._of[file]
        if listing.problem is not None:
            raise listing.problem
        embedded = _keep(self._embedded, file, self._read_embedded, _FILES_KEPT)
        if program_id in embedded:
            name = self._name(file)
            return EmbeddedModules({program_id: embedded[program_id].hlo_proto}, file=name)[program_id]
        raise self._no_module(file, program_id)

    def carries(self, file: str, program_id: int) -> bool:
        """Whether the file has the program's module, undamaged."""
        try:
            embedded = _keep(self._embedded, file, self._read_embedded, _FILES_KEPT)
            return program_id in embedded and bool(proto_names(embedded[program_id].hlo_proto))
        except (XlavizError, DecodeError):
            return False

    def instruction_names(self, file: str, program_id: int) -> frozenset[str]:
        """The instructions of the program's module, or those that left events where the file does not hold it; none
        where it is damaged."""
        try:
            embedded = _keep(self._embedded, file, self._read_embedded, _FILES_KEPT)
            if program_id in embedded:
                return proto_names(embedded[program_id].hlo_proto)
            ops = self.profile(file).events.ops
        except (XlavizError, DecodeError):
            return frozenset()
        return frozenset(op.hlo_op for op in ops if op.program_id == program_id)

    def why_no_times(self, recorded: Recorded, name: str) -> str:
        """A sentence for the user: why a module has no kernel times in the profile it is seen in."""
        file = recorded.file
        try:
            profile = self.profile(file)
        except XlavizError as error:
            return error.message
        if not profile.programs:
            return profile.notes[0]
        if recorded.program_id is None:
            return self._nothing_to_show(file, profile).message
        where = f" ({recorded.text})" if recorded.text else ""
        return f"{file}{where} has no events of {name}: it did not run while that was recorded."

    @property
    def main(self) -> tuple[str, int] | None:
        """The program whose executions took the most time, of the newest profile that has any: the file, and its id.
        Reads that profile."""
        return self.find_main(silent)

    def find_main(self, report: Report) -> tuple[str, int] | None:
        """`main`, with progress."""
        if self._main is None:
            found = (self._main_of(listing, report) for listing in self.listings)
            self._main = next(filter(None, found), None)
        return self._main

    def _main_of(self, listing: Listing, report: Report) -> tuple[str, int] | None:
        file = listing.found.file
        if len(listing.programs) == 1:  # nothing to choose from
            return file, next(iter(listing.programs))
        try:
            # Not kept where it is large: the window's process asks for this and never for the times.
            profile = self.profile(file, report) if listing.is_read else self._read(file, report)
        except XlavizError:
            return None
        return (file, profile.main_program()) if profile.programs else None

    def _list(self, found: Found, *, is_read: bool) -> Listing:
        try:
            programs = self.profile(found.file).programs if is_read else {}
            if programs:
                return Listing(found, programs, is_read=True)
            embedded = _keep(self._embedded, found.file, self._read_embedded, _FILES_KEPT)
            # A file with modules and without events is of an old TensorFlow: there is something to show all the same.
            programs = {id_: program.name for id_, program in embedded.items()}
            return Listing(found, programs, is_read=is_read and not programs)
        except XlavizError as error:
            return Listing(found, {}, is_read=True, problem=error)

    def _name(self, file: str) -> str:
        return str(self.files.path) if isinstance(self.files, SingleFile) else file

    def _size(self, file: str) -> int:
        try:
            with self._open(file) as stream:
                return stream.seek(0, 2)
        except XlavizError:  # it is told when the file is listed
            return 0

    def _read(self, file: str, report: Report = silent) -> Profile:
        return read_profile(self._bytes(file), file=self._name(file), report=report)

    def _bytes(self, file: str) -> bytes:
        data = self.files.read(file)
        return unpacked(data, file=self._name(file)) if data.startswith(GZIP) else data

    def _open(self, file: str) -> IO[bytes]:
        """The file, to read parts of it: of a compressed one there are none without all."""
        stream = self.files.open(file)
        if stream.read(len(GZIP)) != GZIP:
            return stream
        stream.close()
        return BytesIO(self._bytes(file))

    def _read_embedded(self, file: str) -> dict[int, EmbeddedProgram]:
        with self._open(file) as stream:
            return embedded_programs(find_planes(FileBytes(stream), file=self._name(file)))

    def _no_module(self, file: str, program_id: int) -> XlavizError:
        profile = self.profile(file)
        if program_id not in profile.programs:
            return self._nothing_to_show(file, profile)
        runs = sum(run.program_id == program_id for run in profile.runs)
        at_least = "at least " if self._size(file) > LARGE_BYTES else ""
        times = f"{at_least}{runs} time{'' if runs == 1 else 's'}"
        return XlavizError(
            f"{profile.programs[program_id]} ran {times} while {self._name(file)} was recorded, but the file does not "
            "hold its module: times are shown, no graph.",
            hint="A dump folder beside it would bring it.",
        )

    def _nothing_to_show(self, file: str, profile: Profile) -> XlavizError:
        """What a file is in which no program of XLA's was seen, or one that carries no modules and is too large to be
        read at opening."""
        if profile.programs:
            names = ", ".join(sorted(set(profile.programs.values())))
            text = f"{self._name(file)} holds no module of what ran ({names})."
            return XlavizError(text, hint="Open it by itself, with a dump folder beside it.")
        return XlavizError(profile.notes[0], hint=self._what_it_has(file))

    def _what_it_has(self, file: str) -> str:
        with self._open(file) as stream:
            planes = find_planes(FileBytes(stream), file=self._name(file))
            lines = {plane.name: plane.line_names for plane in planes}
        devices = {plane: names for plane, names in lines.items() if plane.startswith("/device:") and names}
        threads = sum(len(names) for plane, names in lines.items() if plane.startswith("/host:"))
        on_devices = tuple(dict.fromkeys(name for names in devices.values() for name in names))
        words = [f"{threads} thread{'' if threads == 1 else 's'} of the host"] if threads else []
        if devices:
            words.append(f"{_listed(tuple(devices))} with the lines {_listed(on_devices)}")
        if on_devices and _DERIVED.issuperset(on_devices):
            words.append("no line that these were derived from")
        return f"It has {', and '.join(words)}." if words else "It has no events at all."


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _LINES_NAMED} more" if len(names) > _LINES_NAMED else ""
    return ", ".join(names[:_LINES_NAMED]) + more


def _keep(kept: OrderedDict[str, _Value], file: str, read: Callable[[str], _Value], most: int) -> _Value:
    """What was read of the file, kept for the next call; the oldest go."""
    value = kept.pop(file) if file in kept else read(file)
    kept[file] = value
    while len(kept) > most:
        kept.popitem(last=False)
    return value
