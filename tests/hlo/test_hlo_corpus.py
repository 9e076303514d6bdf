"""Every real HLO file beside the repository is read, or refused in one sentence."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from xlaviz.base.errors import XlavizError
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.printer import hlo_text
from xlaviz.hlo.read import read_hlo
from xlaviz.hlo.text import read_hlo_text

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
VERDICT = "xla_parser_jaxlib_0.10.2"
pytestmark = pytest.mark.skipif(not CORPUS.exists(), reason=f"needs the HLO corpus at {CORPUS}")


def rows() -> list[dict[str, str]]:
    with (CORPUS / "INDEX.tsv").open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def count(modules: list[HloModule]) -> int:
    return sum(module.instruction_count for module in modules)


def test_every_accepted_file_is_read_whole() -> None:
    wrong = []
    for row in rows():
        verdict = row[VERDICT]
        # A file split in parts of which XLA refused one has the count of the others.
        parts, accepted = verdict.split(" ")[2:3], verdict.split(" ")[-2:-1]
        if verdict not in ("accepted", "ok") and not (verdict.startswith("split") and parts == accepted):
            continue
        found = count(read_hlo((CORPUS / row["file"]).read_bytes(), file=row["file"]))
        if str(found) != row["instructions"]:
            wrong.append((row["file"], found, row["instructions"]))
    assert wrong == []


def test_every_file_is_read_or_refused_in_a_sentence() -> None:
    refused: dict[str, str] = {}
    for row in rows():
        try:
            modules = read_hlo((CORPUS / row["file"]).read_bytes(), file=row["file"])
        except XlavizError as error:
            refused[row["file"]] = str(error)
        else:
            assert count(modules) > 0
    assert len(refused) <= 45
    assert all(file in sentence and "\n" not in sentence for file, sentence in refused.items())


def test_usual_lines_are_read_as_the_parser_reads_them() -> None:
    for path in sorted((CORPUS / "parser_test").rglob("*.hlo")):
        text = path.read_text()
        try:
            modules = read_hlo_text(text, file=path.name)
        except XlavizError:
            continue
        assert modules == read_hlo_text(text, file=path.name, common_lines=False), path


def test_what_is_printed_reads_the_same() -> None:
    for path in sorted((CORPUS / "parser_test").rglob("*.hlo")):
        try:
            modules = read_hlo_text(path.read_text(), file=path.name)
        except XlavizError:
            continue
        for module in modules:
            assert read_hlo_text("".join(hlo_text(module)), file=path.name) == [module], path
