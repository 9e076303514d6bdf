"""Other people's profiles on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_process import refused, xlaviz
from helpers.recorded import write_dump, write_profile

OLD, NEW = "2024_01_02_03_04_05", "2024_05_06_07_08_09"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Two runs, the newer one of two hosts, one of them damaged."""
    logs = tmp_path / "logs"  # what lies beside it is looked at
    for place in (f"{OLD}/a", f"{NEW}/a"):
        write_profile(logs / f"plugins/profile/{place}.xplane.pb", {3: "f", 5: "g"}, without=(5,))
    (logs / f"plugins/profile/{NEW}/b.xplane.pb").write_bytes(b"\xef\xbf\xbd" * 50)
    return logs


def test_info_lists_every_program_of_every_run(logs: Path) -> None:
    ran = xlaviz("info", logs)
    assert (ran.status, ran.err) == (0, "")
    heads = [line.partition("  ")[2] for line in ran.out.splitlines() if line.startswith("module")]
    assert heads == [
        f"f  run {NEW} · host a",
        f"g  run {NEW} · host a",
        f"cannot be read  run {NEW} · host b",
        f"f  run {OLD} · host a",
        f"g  run {OLD} · host a",
    ]
    problems = [line.strip() for line in ran.out.splitlines() if line.startswith("     ?")]
    assert [problem.split()[1] for problem in problems] == ["g", f"plugins/profile/{NEW}/b.xplane.pb", "g"]
    assert "a dump folder beside it would bring it" in problems[0].lower()


def test_info_as_json(logs: Path) -> None:
    first, second, *_ = json.loads(xlaviz("info", logs, "--json").out)["modules"]
    assert first["profile"] == {"file": f"plugins/profile/{NEW}/a.xplane.pb", "run": NEW, "host": "a"}
    assert first["snapshots"][0]["instructions"] == 2
    assert "times are shown, no graph" in second["snapshots"][0]["problem"]


def test_a_module_of_one_run_is_printed(logs: Path) -> None:
    assert xlaviz("print", logs, "--module", f"f@{OLD}").out.startswith("HloModule f")
    sentence = refused("print", logs, "--module", "f")
    assert sentence.startswith(
        f"'f' fits several modules of {logs}. Modules: 3 (f, run {NEW} · host a), 3 (f, run {OLD}"
    )
    assert sentence.endswith(f"Write NAME@RUN, e.g. 'f@{NEW}'.")
    assert refused("print", logs, "--module", "f@c").startswith("'f@c' is no module of")


def test_a_module_that_is_missing_is_one_sentence(logs: Path) -> None:
    sentence = refused("print", logs, "--module", f"g@{OLD}")
    assert sentence.startswith(f"g ran 1 time while plugins/profile/{OLD}/a.xplane.pb was recorded")


def test_a_dump_beside_the_profile_brings_it(logs: Path) -> None:
    write_dump(logs / "dump", {5: "g"})
    profile = logs / f"plugins/profile/{OLD}/a.xplane.pb"
    assert xlaviz("print", profile, "--module", "g", "--pass", "before").out.startswith("HloModule g")


@pytest.mark.parametrize("command", ["info", "print", "kernels"])
def test_a_corrupt_one_is_one_sentence(logs: Path, command: str) -> None:
    assert "is not a profile, or is cut short" in refused(command, logs / f"plugins/profile/{NEW}/b.xplane.pb")


def test_kernels_of_the_newest_run(logs: Path) -> None:
    found = json.loads(xlaviz("kernels", logs, "--module", f"f@{NEW}", "--json").out)
    assert [kernel["name"] for kernel in found["kernels"]] == ["dot.1"]
