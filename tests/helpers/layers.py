"""A model of many layers as a dump folder: too large to be open at first, with name scopes as TensorFlow has them."""

from __future__ import annotations

from pathlib import Path

LAYERS = 12
PER_LAYER = 40


def write_layers(folder: Path) -> Path:
    """Three snapshots: before, with one more instruction after a pass, and after with a fusion in each layer."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("before_optimizations", module_text()),
        ("0001.simplification.after_pipeline-start.before_algsimp", module_text()),
        ("0002.simplification.after_algsimp.before_pipeline-end", module_text(extra=True)),
        ("cpu_after_optimizations", module_text(extra=True, fused=True)),
    ):
        (folder / f"module_0001.model.{name}.txt").write_text(text, "utf-8")
    return folder


def module_text(*, extra: bool = False, fused: bool = False) -> str:
    """The entry: `x`, then `layer_N.M` one after the other, `loop` at the end, whose body has `step`."""
    lines, last, fusions = ["  x = f32[64] parameter(0)"], "x", []
    for layer in range(LAYERS):
        for number in range(PER_LAYER):
            name, opcode = f"layer_{layer}.{number}", ("tanh", "negate", "exponential")[number % 3]
            scope = f"StatefulPartitionedCall/model/layer_{layer}/{'attention' if number < 20 else 'dense'}/Op"
            metadata = f'metadata={{op_name="{scope}"}}'
            if fused and number == 5:
                fusions.append(_fusion(layer, metadata))
                lines.append(f"  {name} = f32[64] fusion({last}), kind=kLoop, calls=fused_{layer}, {metadata}")
            else:
                lines.append(f"  {name} = f32[64] {opcode}({last}), {metadata}")
            last = name
    if extra:
        lines.append(f"  extra = f32[64] sine({last})")
        last = "extra"
    lines.append(f"  loop = f32[64] while({last}), condition=condition, body=body")
    lines.append("  ROOT result = f32[64] copy(loop)")
    entry = "ENTRY main {\n" + "\n".join(lines) + "\n}\n"
    return "HloModule model\n\n" + _LOOP + "\n".join(fusions) + entry


def _fusion(layer: int, metadata: str) -> str:
    body = [f"  p_{layer} = f32[64] parameter(0)"]
    body.append(f"  inner_{layer} = f32[64] negate(p_{layer}), {metadata}")
    body.append(f"  ROOT out_{layer} = f32[64] tanh(inner_{layer}), {metadata}")
    return f"fused_{layer} {{\n" + "\n".join(body) + "\n}\n"


_LOOP = """body {
  b = f32[64] parameter(0)
  step = f32[64] cosine(b)
  ROOT next = f32[64] negate(step)
}

condition {
  c = f32[64] parameter(0)
  ROOT go = pred[] constant(true)
}

"""
