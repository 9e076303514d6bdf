"""Making names unique in a module, as XLA does it."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SUFFIX = re.compile(r"\.\d+$")


class UniqueNames:
    """The first to ask for a name gets it, a later one gets a suffix (`add.1`) that nobody in `reserved` has."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._reserved = set(reserved)
        self._given: set[str] = set()
        self._next: dict[str, int] = {}

    def __call__(self, name: str) -> str:
        if name not in self._given:
            self._given.add(name)
            return name
        return self._suffixed(name)

    def fresh(self, name: str) -> str:
        """A name for something the text leaves unnamed: never one that something else is called."""
        return self._suffixed(name) if name in self._reserved else self(name)

    def _suffixed(self, name: str) -> str:
        root = _SUFFIX.sub("", name)
        number = self._next.get(root, 1)
        while (candidate := f"{root}.{number}") in self._reserved or candidate in self._given:
            number += 1
        self._next[root] = number + 1
        self._given.add(candidate)
        return candidate
