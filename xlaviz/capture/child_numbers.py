"""How far two arrays are from each other: absolute, relative, in representable steps, and within a tolerance or not."""

from __future__ import annotations

from typing import Any, NamedTuple

CHUNK = 1 << 20
"""Elements that are compared at a time: the copies made meanwhile stay small whatever the arrays' size."""

TOLERANCES = {
    "outputs": {
        "float64": (1e-9, 1e-10),
        "float32": (1e-5, 1e-6),
        "float16": (1e-2, 1e-3),
        "bfloat16": (3e-2, 3e-3),
        "complex64": (1e-5, 1e-6),
        "complex128": (1e-9, 1e-10),
    },
    "variables": {
        "float64": (1e-8, 1e-12),
        "float32": (1e-4, 1e-8),
        "float16": (3e-2, 1e-4),
        "bfloat16": (1e-1, 1e-4),
        "complex64": (1e-4, 1e-8),
        "complex128": (1e-8, 1e-12),
    },
}
"""rtol and atol by kind and element type; values of all other types have to be equal.

A difference is within when it is at most `atol + rtol * m`, with m the largest magnitude in either array: sums in
another order differ in proportion to their terms, not to what is left of them. rtol of outputs is about 80 rounding
steps of float32, 10 of float16 and 4 of bfloat16 (TensorFlow rounds after every op, XLA after every fusion); the error
of a sum of n terms grows like the square root of n, so that is room for some thousands of terms. An output may be what
is left of terms near 1: hence its atol. Variables are small themselves (the moments of an optimizer), but Adam and its
like divide a gradient by its own size, which makes its rounding a larger part of the step: the step of train_step, one
of the examples, comes to 1e-5.
"""

_STEPS = {"float16": "u2", "bfloat16": "u2", "float32": "u4", "float64": "u8"}


class Difference(NamedTuple):
    """Two arrays of one shape, compared. `lonely` counts the places where a NaN or infinity is in one alone."""

    max_abs: float = 0.0
    max_rel: float = 0.0
    max_ulps: int = 0
    differing: int = 0
    lonely: int = 0
    largest: float = 0.0


def compare_arrays(one: Any, other: Any) -> Difference:
    """The difference of two numpy arrays of equal shape and type. NaN equals NaN; lonely places have no distance."""
    one, other = one.reshape(-1), other.reshape(-1)
    total = Difference()
    for start in range(0, one.size, CHUNK):
        part = _compare(one[start : start + CHUNK], other[start : start + CHUNK])
        total = Difference(
            max(total.max_abs, part.max_abs),
            max(total.max_rel, part.max_rel),
            max(total.max_ulps, part.max_ulps),
            total.differing + part.differing,
            total.lonely + part.lonely,
            max(total.largest, part.largest),
        )
    return total


def entry(kind: str, name: str, xla: Any, again: Difference | None, plain: Any, why: str) -> dict[str, Any]:
    """The manifest's entry for one of the `outputs` or `variables`: with XLA, again with XLA, and without.

    `beyond` is the number of elements beyond the tolerance. `why` is added to the note of one that differs.
    """
    dtype = str(xla.dtype)
    rtol, atol = TOLERANCES[kind].get(dtype, (0.0, 0.0))
    fields: dict[str, Any] = {"name": name, "dtype": dtype, "shape": list(xla.shape)}
    fields.update(max_abs=None, max_rel=None, max_ulps=None, rtol=rtol, atol=atol, within=False, repeat_max_abs=None)
    fields.update(differing=int(xla.size), beyond=int(xla.size), elements=int(xla.size), note="")
    if again is not None and not again.lonely:
        fields["repeat_max_abs"] = again.max_abs
    if xla.shape != plain.shape or xla.dtype != plain.dtype:
        fields["note"] = f"Without XLA it is {plain.dtype}{list(plain.shape)}."
        return fields
    found = compare_arrays(xla, plain)
    fields["differing"] = found.differing
    fields["beyond"] = _beyond(xla, plain, found, atol + rtol * found.largest)
    notes = []
    if found.lonely:
        places = "1 place" if found.lonely == 1 else f"{found.lonely:,} places"
        notes.append(f"NaN or infinity in one and not in the other in {places}.")
    else:
        fields.update(max_abs=found.max_abs, max_rel=found.max_rel)
        fields["max_ulps"] = found.max_ulps if dtype in _STEPS else None
        fields["within"] = not fields["beyond"]
    if found.differing and again is not None and again.differing:
        notes.append("Two runs with XLA differ already.")
    if found.differing and why:
        notes.append(why)
    fields["note"] = " ".join(notes)
    return fields


def _beyond(one: Any, other: Any, found: Difference, tolerance: float) -> int:
    """How many elements are further apart than `tolerance`, lonely ones included."""
    if not found.lonely and found.max_abs <= tolerance:
        return 0
    if one.dtype.kind in "biu":
        return found.differing
    one, other = one.reshape(-1), other.reshape(-1)
    parts = (slice(start, start + CHUNK) for start in range(0, one.size, CHUNK))
    return sum(_count_beyond(one[part], other[part], tolerance) for part in parts)


def _count_beyond(one: Any, other: Any, tolerance: float) -> int:
    import numpy as np

    wide = "c16" if one.dtype.kind == "c" else "f8"
    with np.errstate(all="ignore"):
        near = np.abs(one.astype(wide) - other.astype(wide)) <= tolerance  # False for NaN and infinity
        same = (one == other) | ((one != one) & (other != other))
    return int(np.count_nonzero(~(near | same)))


def _compare(one: Any, other: Any) -> Difference:
    import numpy as np

    with np.errstate(all="ignore"):
        largest = max(_largest(one), _largest(other))
        differs = ~((one == other) | ((one != one) & (other != other)))
        differing = int(np.count_nonzero(differs))
        if not differing:
            return Difference(largest=largest)
        one, other = one[differs], other[differs]
        if one.dtype.kind in "biu":
            a, b = np.maximum(one, other).astype("u8"), np.minimum(one, other).astype("u8")
            gap = (a - b).astype("f8")  # modulo 2**64, which is right for signed ones too
            magnitude = np.maximum(np.abs(one.astype("f8")), np.abs(other.astype("f8")))
            return Difference(float(gap.max()), float((gap / magnitude).max()), 0, differing, 0, largest)
        wide = "c16" if one.dtype.kind == "c" else "f8"
        a, b = one.astype(wide), other.astype(wide)
        both = np.isfinite(a) & np.isfinite(b)
        lonely = differing - int(np.count_nonzero(both))
        if lonely == differing:
            return Difference(differing=differing, lonely=lonely, largest=largest)
        a, b = a[both], b[both]
        gap = np.minimum(np.abs(a - b), np.finfo("f8").max)
        relative = gap / np.maximum(np.abs(a), np.abs(b))
        steps = _steps(one[both], other[both])
        return Difference(float(gap.max()), float(relative.max()), steps, differing, lonely, largest)


def _largest(array: Any) -> float:
    """The largest finite magnitude."""
    import numpy as np

    wide = array if array.dtype.kind in "fc" else array.astype("f8")
    magnitude = np.abs(wide)
    largest = float(magnitude.max())
    if not np.isfinite(largest):
        largest = float(np.max(magnitude, where=np.isfinite(magnitude), initial=0.0))
    return largest


def _steps(one: Any, other: Any) -> int:
    """The largest distance in representable numbers: the bits of a float without its sign count them from zero."""
    import numpy as np

    kind = _STEPS.get(str(one.dtype))
    if kind is None:
        return 0
    a, b = one.view(kind).astype("u8"), other.view(kind).astype("u8")
    sign = np.uint64(1 << (8 * int(kind[1]) - 1))
    size_a, size_b = a & ~sign, b & ~sign
    same = (a & sign) == (b & sign)
    return int(np.where(same, np.maximum(size_a, size_b) - np.minimum(size_a, size_b), size_a + size_b).max())
