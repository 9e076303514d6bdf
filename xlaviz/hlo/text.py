"""Files of HLO text -> modules: what may stand round the modules is taken off here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xlaviz.hlo.collector import collector_paused
from xlaviz.hlo.errors import HloParseError
from xlaviz.hlo.lexer import Scanner
from xlaviz.hlo.link import link
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.parser import Parser
from xlaviz.hlo.proto import looks_like_text_proto, read_text_proto

_LOG_PREFIX = re.compile(r"^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w./\-]+:\d+\] ?", re.M)
_SEPARATOR = re.compile(r"^[ \t]*(?://|#)[ \t]*-{5}.*$", re.M)
_MLIR = re.compile(r"^ *(?:func\.func|llvm\.func) (?:\w+ )?@", re.M)
_WRAPPED = re.compile(r"^\*\*\* Begin (.*?) \*\*\*[^\n]*\n(.*?)(?=^\*\*\* (?:End|Begin) |\Z)", re.M | re.S)


def read_hlo_text(text: str, *, file: str, common_lines: bool = True) -> list[HloModule]:
    """The modules of a file's text, in order; raises HloParseError. `common_lines` is for the tests.

    Laxer than XLA's own parser: a module may come without header, ENTRY, ROOT or its end, names may be used before
    they are defined, and opcodes, types and attributes may be unknown.
    """
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if looks_like_text_proto(text):
        return [read_text_proto(text, file=file)]
    if _MLIR.search(text, 0, 100_000):
        raise HloParseError(f"{file} is MLIR, not HLO.", hint="Open the HLO that XLA dumps for it.")
    text = _LOG_PREFIX.sub("", text)
    modules: list[HloModule] = []
    with collector_paused():
        for start, end in _stretches(text):
            scanner = Scanner(text, file=file, position=start, end=end)
            drafts = Parser(scanner, common_lines=common_lines).modules()
            modules += [link(draft, scanner) for draft in drafts]
    if not modules:
        raise HloParseError(f"{file} holds no HLO module.")
    return modules


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where the parts of the text lie that are parsed alone."""
    if text.startswith("*** Begin ") or "\n*** Begin " in text:
        for wrapped in _WRAPPED.finditer(text):
            yield wrapped.span(2)
        return
    start = 0
    for separator in _SEPARATOR.finditer(text):
        yield start, separator.start()
        start = separator.end()
    yield start, len(text)
