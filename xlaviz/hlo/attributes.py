"""An HloInstructionProto's attributes as XLA prints them: the opcode's own, then what all opcodes share."""

from __future__ import annotations

from collections.abc import Mapping

from xlaviz.hlo import hlo_pb2 as pb
from xlaviz.hlo.lexer import quoted
from xlaviz.hlo.op_attributes import OWN
from xlaviz.hlo.shardings import braced, sharding_text


def attributes_text(proto: pb.HloInstructionProto) -> dict[str, str]:
    """Attribute name -> text, in XLA's printing order."""
    found: dict[str, str] = {}
    own = OWN.get(proto.opcode)
    if own is not None:
        own(proto, found)
    _shared(proto, found)
    return found


def _shared(proto: pb.HloInstructionProto, found: dict[str, str]) -> None:
    if proto.HasField("sharding"):
        found["sharding"] = sharding_text(proto.sharding)
    if proto.frontend_attributes.map:
        found["frontend_attributes"] = map_text(proto.frontend_attributes.map)
    if proto.statistics_viz.statistics:
        found["statistics"] = _statistics(proto.statistics_viz)
    if proto.HasField("result_accuracy"):
        _result_accuracy(proto.result_accuracy, found)
    if proto.HasField("original_value"):
        found["origin"] = _origin(proto.original_value)
    if proto.backend_config:
        found["backend_config"] = config_text(proto.backend_config.decode("utf-8", "surrogateescape"))


def map_text(values: Mapping[str, str]) -> str:
    """`{a="b",c={...}}`, by name."""
    return f"{{{','.join(f'{key}={config_text(values[key])}' for key in sorted(values))}}}"


def config_text(text: str) -> str:
    """JSON stands bare, anything else is quoted."""
    return text if _is_braced(text) else quoted(text.encode("utf-8", "surrogateescape"))


def _is_braced(text: str) -> bool:
    """Whether the whole text is one `{...}` whose braces, outside of strings, pair up."""
    if not (text.startswith("{") and text.endswith("}")):
        return False
    depth = 0
    in_string = escaped = False
    for place, char in enumerate(text):
        if escaped or (in_string and char == "\\"):
            escaped = not escaped
        elif char == '"':
            in_string = not in_string
        elif not in_string and char in "{}":
            depth += 1 if char == "{" else -1
            if depth == 0:
                return place == len(text) - 1
    return False


def _statistics(proto: pb.StatisticsViz) -> str:
    values = "".join(f",{each.stat_name}={each.stat_val:g}" for each in proto.statistics)
    return f"{{visualizing_index={proto.stat_index_to_visualize}{values}}}"


def _result_accuracy(proto: pb.ResultAccuracy, found: dict[str, str]) -> None:
    if proto.HasField("tolerance"):
        bounds = proto.tolerance
        found["result_accuracy"] = f"{{tolerance={{atol={bounds.atol:g},rtol={bounds.rtol:g},ulps={bounds.ulps}}}}}"
    elif proto.mode:
        found["result_accuracy"] = f"{{mode={pb.ResultAccuracy.Mode.Name(proto.mode).lower()}}}"


class _Leaves:
    """Original arrays by shape index, as a tree that can be printed."""

    def __init__(self) -> None:
        self.text = ""
        self.parts: dict[int, _Leaves] = {}

    def __str__(self) -> str:
        if not self.parts:
            return self.text or "{}"
        return f"({', '.join(str(self.parts.get(n, '{}')) for n in range(min(max(self.parts) + 1, 10_000)))})"


def _origin(proto: pb.OriginalValueProto) -> str:
    if proto.is_synthetic_call:
        return "[synthetic_call]"
    tree = _Leaves()
    for element in proto.elements:
        leaf = tree
        for index in element.shape_index:
            leaf = leaf.parts.setdefault(index, _Leaves())
        array = element.original_array
        where = f" {braced(array.shape_index)}" if array.shape_index else ""
        leaf.text = f"{{{quoted(array.instruction_name)}{where}}}" if array.instruction_name else "{}"
    return f"{{{tree}}}"
