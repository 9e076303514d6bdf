"""Small HLO modules for the lineage tests."""

from __future__ import annotations

from xlaviz.hlo.model import HloModule
from xlaviz.hlo.text import read_hlo_text
from xlaviz.lineage.step import StepLineage


def hlo(entry: str, *computations: str) -> HloModule:
    """A module of an entry computation and others, each `NAME { lines }` as XLA prints them, all f32[4] if unsaid."""
    text = "HloModule tested\n\n" + "\n\n".join((*computations, "ENTRY main {\n" + entry + "\n}")) + "\n"
    (module,) = read_hlo_text(text, file="tested.txt")
    assert not module.notes, module.notes
    return module


def named(op_name: str) -> str:
    return f', metadata={{op_name="{op_name}"}}'


FUSED_COMPUTATION = """fused {
  p0 = f32[4] parameter(0)
  p1 = f32[4] parameter(1)
  exp.2 = f32[4] exponential(p0), metadata={op_name="net/exp"}
  mul.2 = f32[4] multiply(exp.2, p1), metadata={op_name="net/mul"}
  ROOT add.2 = f32[4] add(mul.2, exp.2), metadata={op_name="net/add"}
}"""

UNFUSED = hlo("""
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  exp.1 = f32[4] exponential(x), metadata={op_name="net/exp"}
  mul.1 = f32[4] multiply(exp.1, y), metadata={op_name="net/mul"}
  add.1 = f32[4] add(mul.1, exp.1), metadata={op_name="net/add"}
  ROOT out = (f32[4]) tuple(add.1)
""")

FUSED = hlo(
    """
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  fusion.1 = f32[4] fusion(x, y), kind=kLoop, calls=fused
  ROOT out = (f32[4]) tuple(fusion.1)
""",
    FUSED_COMPUTATION,
)


def found(step: StepLineage, *names: str) -> dict[str, tuple[str, set[str]]]:
    """How each of these was matched, and to what."""
    return {name: (step.how.get(name, "created"), set(step.origins[name])) for name in names}
