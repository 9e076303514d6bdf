"""The language of the search field: words, /expressions/ and terms such as `opcode:fusion` or `time>5%`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from xlaviz.base.errors import XlavizError

FIELDS = ("name", "opcode", "shape", "op", "comp", "file", "line")
NUMBERS = ("time", "users", "operands", "bytes")
_COMPARISONS = (">=", "<=", ">", "<", "=")
_TERM = re.compile(
    r"""(?P<minus>-?)
    (?:(?P<key>[A-Za-z]+)(?P<sign>>=|<=|[:<>=])(?=\S))?
    (?: "(?P<quoted>[^"]*)" | /(?P<regex>(?:\\.|[^/\\])+)/(?=\s|$) | (?P<plain>[^\s"]\S*) )""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*([a-zµ%]*)$", re.IGNORECASE)
_TIME_US = {"": 1.0, "us": 1.0, "µs": 1.0, "ns": 1e-3, "ms": 1e3, "s": 1e6}
_COUNTS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
_SIZES = {"": 1.0, "b": 1.0, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9}


@dataclass(frozen=True, slots=True)
class Term:
    """One condition. `key` is a field, a number, or empty for a word that may stand anywhere.

    `text` is what a field holds, in small letters; `pattern` an expression in its place. Of a number, `sign` compares
    it with `number`: microseconds, bytes, a count, or where `is_share` a part of all time.
    """

    key: str
    text: str = ""
    pattern: re.Pattern[str] | None = None
    sign: str = ":"
    number: float = 0.0
    is_share: bool = False
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """All of whose terms hold."""

    terms: tuple[Term, ...]


def parse_query(text: str) -> Query:
    """Read what was typed. Raises XlavizError where it cannot mean anything."""
    terms = []
    place = 0
    while text[place:].strip():
        place += len(text[place:]) - len(text[place:].lstrip())
        match = _TERM.match(text, place)
        if match is None:
            raise XlavizError(f"The quote in {text[place:]} is not closed.", hint='Write "the words" in two quotes.')
        terms.append(_term(match))
        place = match.end()
    return Query(tuple(terms))


def _term(match: re.Match[str]) -> Term:
    minus, key, sign, quoted, regex, plain = match.groups()
    key, is_negated = (key or "").lower(), bool(minus)
    if key in NUMBERS:
        return _number_term(key, sign, plain or quoted or regex or "", is_negated)
    if key and sign != ":":
        raise XlavizError(
            f"'{key}{sign}' compares nothing that is a number.", hint=f"Numbers are {', '.join(NUMBERS)}."
        )
    if key and key not in FIELDS:
        known = ", ".join(f"{field}:" for field in FIELDS)
        raise XlavizError(f"There is no field '{key}:' to search.", hint=f'Fields are {known}; or put it in "quotes".')
    if regex is not None:
        return Term(key, regex, _compiled(regex), is_negated=is_negated)
    words = (quoted if quoted is not None else plain).lower()
    pattern = None
    if key == "opcode" and "*" in words:
        pattern = re.compile("^" + ".*".join(map(re.escape, words.split("*"))) + "$")
    if key == "line" and not words.isdecimal():
        raise XlavizError(f"'{words}' is no line.", hint="Write a number, as in line:27.")
    return Term(key, words, pattern, is_negated=is_negated)


def _compiled(expression: str) -> re.Pattern[str]:
    try:
        return re.compile(expression, re.IGNORECASE)
    except re.error as error:
        raise XlavizError(
            f"/{expression}/ is no regular expression: {error.msg}.", hint="Put a \\ before a sign meant as it is."
        ) from error


def _number_term(key: str, sign: str, text: str, is_negated: bool) -> Term:
    match = _NUMBER.match(text)
    unit = match[2].lower() if match else ""
    is_share = key == "time" and unit == "%"
    units = {"time": _TIME_US, "bytes": _SIZES}.get(key, _COUNTS)
    if match is None or (unit not in units and not is_share):
        example = {"time": "time>10us or time>5%", "bytes": "bytes>1M"}.get(key, f"{key}>2")
        raise XlavizError(f"'{text}' is no number for '{key}'.", hint=f"Write it as in {example}.")
    number = float(match[1]) * (0.01 if is_share else units[unit])
    return Term(key, sign="=" if sign == ":" else sign, number=number, is_share=is_share, is_negated=is_negated)
