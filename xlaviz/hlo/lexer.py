"""A cursor over HLO text: blanks and comments, bracketed groups, strings."""

from __future__ import annotations

import re

from xlaviz.hlo.errors import HloParseError, parse_error

NAME = r"[\w][\w.\-]*+"
"""A name after its optional `%`. XLA wants a letter or `_` first; a reader need not."""

STRING = r""""(?:[^"\\]|\\[\s\S])*+"|'(?:[^'\\]|\\[\s\S])*+'"""
_COMMENT = r"/\*(?:[^*]|\*(?!/))*+\*/|//[^\n]*+"

_BLANK = re.compile(rf"(?:[\s\0]++|{_COMMENT})*+")
_STRING = re.compile(STRING)
_IN_GROUP = re.compile(rf"""(?:[^()\[\]{{}}"'/]++|{STRING}|{_COMMENT}|/(?!\*))*+""")
_STRING_OR_COMMENT = re.compile(rf"({STRING})|{_COMMENT}")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Scanner:
    """Reads `text` from `position` up to `end`; what it raises names `file` and the place in the whole text."""

    __slots__ = ("end", "file", "position", "text")

    def __init__(self, text: str, *, file: str, position: int = 0, end: int | None = None) -> None:
        self.text = text
        self.file = file
        self.position = position
        self.end = len(text) if end is None else end

    def skip_blanks(self) -> None:
        """Moves past blanks and comments."""
        found = _BLANK.match(self.text, self.position, self.end)
        if found is not None:
            self.position = found.end()

    @property
    def at_end(self) -> bool:
        return self.position >= self.end

    def peek(self) -> str:
        """The next character after blanks, empty at the end."""
        self.skip_blanks()
        return self.text[self.position] if self.position < self.end else ""

    def find(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Whether `pattern` comes next after blanks; does not move past it."""
        self.skip_blanks()
        return pattern.match(self.text, self.position, self.end)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Moves past `pattern` if it comes next."""
        found = self.find(pattern)
        if found is not None:
            self.position = found.end()
        return found

    def expect(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        found = self.take(pattern)
        if found is None:
            raise self.error(f"expected {what}")
        return found

    def take_text(self, wanted: str) -> bool:
        """Moves past `wanted` if it comes next."""
        self.skip_blanks()
        if not self.text.startswith(wanted, self.position, self.end):
            return False
        self.position += len(wanted)
        return True

    def expect_text(self, wanted: str) -> None:
        if not self.take_text(wanted):
            raise self.error(f"expected `{wanted}`")

    def skip_string(self) -> None:
        """Moves past the quoted string that starts here."""
        found = _STRING.match(self.text, self.position, self.end)
        if found is None:
            raise self.error("this string never ends", at_end=True)
        self.position = found.end()

    def skip_group(self) -> None:
        """Moves past the bracketed group that starts here, strings and comments in it included."""
        text, position, end = self.text, self.position, self.end
        open_groups: list[str] = []
        while True:
            if position >= end:
                raise self.error(f"this `{text[self.position]}` is never closed", self.position, at_end=True)
            char = text[position]
            if char in "([{":
                open_groups.append(_CLOSING[char])
            elif char in ")]}":
                if char != open_groups.pop():
                    raise self.error(f"`{char}` closes nothing", position)
                if not open_groups:
                    self.position = position + 1
                    return
            else:
                raise self.error("this string or comment never ends", position, at_end=True)
            found = _IN_GROUP.match(text, position + 1, end)
            position = found.end() if found is not None else position + 1

    def error(self, message: str, position: int | None = None, *, at_end: bool | None = None) -> HloParseError:
        """The error to raise at `position`, or here after blanks."""
        if position is None:
            self.skip_blanks()
            position = self.position
        if at_end is None:
            at_end = position >= self.end
        if not at_end and self.text.startswith("/*", position):
            message, at_end = "this comment never ends", True
        return parse_error(message, file=self.file, text=self.text, position=position, at_end=at_end)


def without_comments(text: str) -> str:
    """`text` without `/*...*/` and `//...`, leaving quoted strings alone."""
    if "/*" not in text and "//" not in text:
        return text
    return _STRING_OR_COMMENT.sub(lambda found: found[1] or "", text)


_ESCAPE = re.compile(rb"\\([0-7]{1,3}|[xX][0-9a-fA-F]{1,2}|[\s\S])")
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def unquoted(text: str) -> str:
    """The string that a quoted C-escaped `text` stands for."""
    inner = text[1:-1] if text[:1] in ('"', "'") and len(text) > 1 else text
    if "\\" not in inner:
        return inner
    return _ESCAPE.sub(_unescape, inner.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")


def _unescape(found: re.Match[bytes]) -> bytes:
    code = found[1]
    if code[:1] in b"01234567":
        return bytes([int(code, 8) & 0xFF])
    if code[:1] in b"xX" and len(code) > 1:
        return bytes([int(code[1:], 16)])
    return _ESCAPED.get(code, code)


_NAMED = {0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t", 0x22: '\\"', 0x27: "\\'", 0x5C: "\\\\"}
_PLAIN = re.compile(r"[ !#-&(-\[\]-~]*")


def quoted(text: str | bytes) -> str:
    """`text` in double quotes, escaped as XLA does (C escapes; other bytes in octal)."""
    if isinstance(text, str):
        if _PLAIN.fullmatch(text):
            return f'"{text}"'
        text = text.encode("utf-8", "surrogatepass")
    return '"' + "".join(_NAMED.get(b) or (chr(b) if 0x20 <= b < 0x7F else f"\\{b:03o}") for b in text) + '"'
