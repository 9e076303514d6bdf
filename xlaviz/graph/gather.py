"""Gathering the parts of a cluster that has too many into blocks, so that opening it shows a page and no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xlaviz.graph.blocks import Block, blocks
from xlaviz.graph.flow import Flow
from xlaviz.graph.partition import divide
from xlaviz.graph.parts import Cluster, Part, look_of, members_of, part_operands

MAX_PARTS = 30
"""Parts of a cluster above which they are gathered."""

_NO_SCOPE = "no scope"


@dataclass(frozen=True, slots=True)
class Gathering:
    """`alone` names the scopes of single instructions, which are no clusters; ids begin with `prefix`."""

    flow: Flow
    alone: Mapping[int, str]
    prefix: str

    def gathered(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """At most about MAX_PARTS parts: names with the same beginning joined, then what has none gathered round what
        has, then all in ranges."""
        if len(parts) <= MAX_PARTS:
            return parts
        if sum(1 for part in parts if self._scope_name(part)) > MAX_PARTS:
            parts = self._by_beginnings(parts)
        loose = [index for index, part in enumerate(parts) if isinstance(part, int)]
        if len(parts) > MAX_PARTS and 0 < len(loose) < len(parts):
            joined = self._joined(parts, dict.fromkeys(loose, _NO_SCOPE))
            parts = joined if len(joined) > 1 else parts
        return parts if len(parts) <= MAX_PARTS else self._in_ranges(parts)

    def _scope_name(self, part: Part) -> str:
        if isinstance(part, int):
            return self.alone.get(part, "")
        return part.title if part.kind == "scope" else ""

    def _joined(self, parts: Sequence[Part], names: dict[int, str]) -> tuple[Part, ...]:
        """Parts of one name joined where the boxes allow it."""
        pieces = divide(range(len(parts)), part_operands(self.flow, parts), names, takes_in=False)
        turns: Counter[str] = Counter()
        found: list[Part] = []
        for piece in pieces:
            content = [parts[index] for index in piece.items]
            if len(content) == 1 or piece.name is None:
                found.extend(content)
                continue
            turns[piece.name] += 1
            title = f"{piece.name} #{turns[piece.name]}" if turns[piece.name] > 1 else piece.name
            found.append(_block(f"{self.prefix}{title}", title, content))
        return tuple(found)

    def _by_beginnings(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """conv3_block4_1_conv, conv3_block4_1_bn -> conv3_block4: as long a beginning as leaves few enough boxes."""
        named = {index: name for index, part in enumerate(parts) if (name := self._scope_name(part))}
        for length in (3, 2, 1):
            names = {index: beginning for index, name in named.items() if (beginning := _beginning(name, length))}
            shared = Counter(names.values())
            names = {index: name for index, name in names.items() if shared[name] > 1}
            joined = self._joined(parts, names) if names else parts
            left = sum(1 for part in joined if isinstance(part, Cluster))
            if 1 < left <= MAX_PARTS and left <= len(named) / 2:
                return joined
        return parts

    def _in_ranges(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        cut = blocks([look_of(self.flow, part) for part in parts], part_operands(self.flow, parts))
        return tuple(self._ranges(parts, cut, self.prefix))

    def _ranges(self, parts: tuple[Part, ...], cut: Sequence[Block], prefix: str) -> Iterator[Part]:
        for number, block in enumerate(cut, 1):
            content = parts[block.start : block.end]
            if len(content) == 1:
                yield content[0]
                continue
            id_ = f"{prefix}block {number}"
            title = _block_title(block, number, [name for name in map(self._scope_name, content) if name])
            yield _block(id_, title, tuple(self._ranges(parts, block.inner, f"{id_}/")) or content)


def _block(id_: str, title: str, content: Sequence[Part]) -> Cluster:
    members = sorted(member for part in content for member in members_of(part))
    return Cluster(id_, title, "block", tuple(members), given=tuple(content))


def _beginning(name: str, length: int) -> str:
    """The first words of a name that has more; a name is words joined by `_`."""
    words = name.split("_")
    return "_".join(words[:length]) if len(words) > length else ""


def _block_title(block: Block, number: int, names: Sequence[str]) -> str:
    """What a block is called: by its turn in a repetition, else by the scopes in it."""
    if block.inner:
        return f"{block.total} repeated blocks"
    if block.turns:
        first, last = block.turns[0] + 1, block.turns[-1] + 1
        return f"block {first} of {block.total}" if first == last else f"blocks {first}–{last} of {block.total}"
    beginnings = Counter(filter(None, (_beginning(name, 2) for name in names)))
    for beginning, count in beginnings.most_common(1):
        if count > len(names) / 2 and len(names) > 2:
            return f"block {number}: {beginning}"
    return ", ".join(names) if 0 < len(names) <= 2 else f"block {number}"
