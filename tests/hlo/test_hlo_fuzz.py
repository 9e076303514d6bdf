"""Damaged input gives a module or one clean error, never another exception and never a hang."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from xlaviz.base.errors import XlavizError
from xlaviz.hlo.printer import hlo_text
from xlaviz.hlo.read import read_hlo

DATA = Path(__file__).parents[1] / "data" / "hlo"
SEEDS = [path.read_bytes() for path in sorted(DATA.glob("*")) if path.stat().st_size < 12_000]
PIECES = [
    *(bytes([char]) for char in b"{}()[]\"'=,\n%\\ \0\xff"),
    b"/*", b"*/", b"//", b"#1", b"ROOT ", b"ENTRY ", b"HloModule x\n", b"metadata={", b"f32[", b"9" * 25, b"constant(",
    b"to_apply=", b"{{{{", b"((((", b"*** Begin x ***\n", b"// -----\n",
]  # fmt: skip


def damaged(seed: bytes, dice: random.Random) -> bytes:
    data = bytearray(seed)
    for _ in range(dice.randint(1, 5)):
        place = dice.randrange(len(data) + 1)
        match dice.randrange(5):
            case 0:
                data[place:place] = dice.choice(PIECES)
            case 1:
                del data[place : place + dice.randint(1, 20)]
            case 2:
                data[place : place + 1] = dice.randbytes(1)
            case 3:
                del data[place:]
            case _:
                other = dice.choice(SEEDS)
                start = dice.randrange(len(other))
                data[place:place] = other[start : start + 100]
    return bytes(data)


def read_and_use(data: bytes) -> None:
    try:
        modules = read_hlo(data, file="fuzz")
    except XlavizError:
        return
    for module in modules:
        assert "".join(hlo_text(module))
        assert module.entry_computation.root_instruction.name in module.computation_of
        assert module.instruction_count == len(module.computation_of)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(500):
        read_and_use(damaged(dice.choice(SEEDS), dice))


def test_random_bytes() -> None:
    dice = random.Random(0)
    for _ in range(1000):
        read_and_use(dice.randbytes(dice.randrange(400)))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "{" * 100_000,
        "}",
        "e { a = f32[] parameter(0) } }",
        "HloModule m\nENTRY e { a = " + "(" * 5000 + "f32[]" + ")" * 5000 + " tuple()\n}",
        "HloModule m\nENTRY e { a = f32[] " + "add(" * 5000,
        "HloModule m\nENTRY e { a = f32[] while(), body=" + "{ while(), body=" * 5000,
        "HloModule m, x={" + "(" * 100_000,
        "hlo_module {" * 3000,
        '"' * 100_001,
        "/*" * 100_000,
        "e {\n" * 20_000,
        "ENTRY " * 20_000,
        "a b " * 50_000,
        "while(), body={" + "a" * 10_000 + "/}",
        "# " * 10_000,
    ],
    ids=lambda text: text[:12],
)
def test_deep_and_endless(text: str) -> None:
    with pytest.raises(XlavizError):
        read_hlo(text.encode(), file="deep")
