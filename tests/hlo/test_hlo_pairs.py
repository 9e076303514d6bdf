"""The same snapshot read from text and from proto is the same module, and prints as XLA printed it."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from xlaviz.hlo.draft import DraftComputation
from xlaviz.hlo.model import HloModule
from xlaviz.hlo.parser import Parser
from xlaviz.hlo.printer import hlo_text
from xlaviz.hlo.read import read_hlo

DATA = Path(__file__).parents[1] / "data" / "hlo"
PAIRS = sorted(path.stem for path in DATA.glob("*.txt"))
DENORMAL = "4.94065645841247e-324"
"""XLA prints denormals as 0: its compiler threads flush them."""


@pytest.fixture(params=PAIRS)
def pair(request: pytest.FixtureRequest) -> tuple[HloModule, HloModule, str]:
    text = (DATA / f"{request.param}.txt").read_text()
    (from_text,) = read_hlo(text.encode(), file="text")
    (from_proto,) = read_hlo((DATA / f"{request.param}.hlo.pb").read_bytes(), file="proto")
    return from_text, from_proto, text


def common(module: HloModule, other: HloModule) -> HloModule:
    """What text and proto both hold: no id, no attribute that XLA keeps in the module's config."""
    kept = {key: value for key, value in module.attributes.items() if key in other.attributes}
    return replace(module, id=None, attributes=kept)


def literals(module: HloModule) -> list[str]:
    return [i.literal for c in module.computations for i in c.instructions]


def test_text_and_proto_are_equal(pair: tuple[HloModule, HloModule, str]) -> None:
    from_text, from_proto, _ = pair
    assert "entry_computation_layout" in common(from_proto, from_text).attributes
    assert common(from_text, from_proto) == common(from_proto, from_text)


def test_attributes_come_in_the_same_order(pair: tuple[HloModule, HloModule, str]) -> None:
    from_text, from_proto, _ = pair
    for mine, other in zip(from_text.computations, from_proto.computations, strict=True):
        assert [list(i.attributes.items()) for i in mine.instructions] == [
            list(i.attributes.items()) for i in other.instructions
        ]


def test_literals_are_equal(pair: tuple[HloModule, HloModule, str]) -> None:
    from_text, from_proto, _ = pair
    assert literals(from_text) == [literal.replace(DENORMAL, "0") for literal in literals(from_proto)]


def test_proto_prints_as_xla_did(pair: tuple[HloModule, HloModule, str]) -> None:
    _, from_proto, text = pair
    printed = "".join(hlo_text(from_proto)).replace(f"({DENORMAL})", "(0)")

    def blocks(whole: str) -> list[str]:
        return sorted(block.strip() for block in whole.split("\n\n")[1:] if block.strip())

    assert blocks(printed) == blocks(text)


def test_print_and_read_again(pair: tuple[HloModule, HloModule, str]) -> None:
    for module in pair[0], pair[1]:
        (again,) = read_hlo("".join(hlo_text(module)).encode(), file="printed")
        assert again == replace(module, id=None)
        assert literals(again) == literals(module)


def test_pickle(pair: tuple[HloModule, HloModule, str]) -> None:
    for module in pair[0], pair[1]:
        assert module.by_name
        again = pickle.loads(pickle.dumps(module))
        assert again == module
        assert literals(again) == literals(module)


def test_scheduled() -> None:
    (module,) = read_hlo((DATA / "while_scheduled.hlo.pb").read_bytes(), file="proto")
    assert module.is_scheduled
    (module,) = read_hlo((DATA / "conditional.hlo.pb").read_bytes(), file="proto")
    assert not module.is_scheduled


def test_a_while_calls_its_body_then_its_condition() -> None:
    (module,) = read_hlo((DATA / "while_scheduled.txt").read_bytes(), file="text")
    loop = next(i for c in module.computations for i in c.instructions if i.opcode == "while")
    body, condition = (module.by_name[name] for name in loop.called_computations)
    assert condition.root_instruction.shape.element_type == "pred"
    assert body.root_instruction.shape == loop.shape


@pytest.mark.parametrize("name", PAIRS)
def test_dumped_lines_are_usual_ones(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Speed rests on this: the parser itself sees few lines of a dump."""
    seen: list[int] = []
    whole = Parser._instruction

    def counted(self: Parser, computation: DraftComputation) -> None:
        seen.append(1)
        whole(self, computation)

    monkeypatch.setattr(Parser, "_instruction", counted)
    (module,) = read_hlo((DATA / f"{name}.txt").read_bytes(), file=name)
    assert len(seen) <= module.instruction_count * 0.1 + 2
