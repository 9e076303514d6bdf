"""How a module is called by who wants one of many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.recorded import write_dump, write_profile

from xlaviz.base.errors import XlavizError
from xlaviz.session.documents import DocumentInfo, close_all, open_info, silent

Logs = Callable[[dict[str, dict[int, str]]], DocumentInfo]


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[Logs]:
    """Opens a folder with a profile at each `run/host`, of these programs."""

    def opened(profiles: dict[str, dict[int, str]]) -> DocumentInfo:
        for place, programs in profiles.items():
            write_profile(tmp_path / f"logs/plugins/profile/{place}.xplane.pb", programs)
        return open_info(silent, tmp_path / "logs")

    yield opened
    close_all()


def place(document: DocumentInfo, name: str) -> tuple[int, str, str]:
    sequence = document.sequence(name)
    assert sequence.recorded is not None
    return sequence.id, sequence.recorded.run, sequence.recorded.host


def hint(document: DocumentInfo, name: str) -> str:
    with pytest.raises(XlavizError) as caught:
        document.sequence(name)
    return caught.value.hint.partition(". ")[2]


def test_several_runs_of_several_hosts_take_both(logs: Logs) -> None:
    document = logs({f"{run}/{host}": {3: "f"} for run in ("r1", "r2") for host in ("a", "b")})
    assert place(document, "f@r1@b") == place(document, "f@b@r1") == place(document, "3@b@r1") == (3, "r1", "b")
    for ambiguous in ("f", "3", "f@a", "f@r1"):
        assert hint(document, ambiguous).startswith("Write NAME@R")
    first = document.sequences[0].recorded
    assert first is not None
    assert hint(document, "f") == f"Write NAME@RUN@HOST, e.g. 'f@{first.run}@{first.host}'."
    for wrong in ("f@r1@c", "f@r1@r2", "f@run", "f@r1@b@a", "g@r1@b"):
        with pytest.raises(XlavizError, match=f"'{wrong}' is no module of"):
            document.sequence(wrong)


def test_a_whole_name_goes_before_a_part_of_one(logs: Logs) -> None:
    document = logs({f"r/host{number}": {3: "f"} for number in (1, 10)})
    assert place(document, "f@host1") == (3, "r", "host1")
    assert place(document, "f@10") == (3, "r", "host10")
    assert hint(document, "f@host") == "Write NAME@HOST, e.g. 'f@host1'."


def test_several_programs_of_one_name_are_told_apart_by_their_ids(logs: Logs) -> None:
    document = logs({f"r/{host}": {3: "f", 5: "f"} for host in ("a", "b")})
    assert place(document, "5@b") == (5, "r", "b")
    assert hint(document, "f") == "Write ID@HOST, e.g. '3@a'."
    assert hint(document, "f@a") == "Write ID@HOST, e.g. '3@a'."


def test_one_host_needs_no_name_for_it(logs: Logs) -> None:
    document = logs({"r/a": {3: "f", 5: "f", 7: "main"}})
    assert hint(document, "f") == "Write ID, e.g. '3'."
    assert place(document, "mai") == (7, "r", "a")


def test_a_name_may_hold_the_sign_itself(tmp_path: Path) -> None:
    document = open_info(silent, write_dump(tmp_path / "dump", {3: "f@x", 5: "f@y"}))
    assert document.sequence("f@x").id == 3
    assert hint(document, "f@") == "Write NAME, e.g. 'f@x'."
    close_all()
