"""OpSharding and replica groups as XLA prints them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xlaviz.hlo import hlo_pb2 as pb
from xlaviz.hlo.metadata_proto import metadata_text

_KINDS = {
    pb.OpSharding.REPLICATED: "replicated",
    pb.OpSharding.MANUAL: "manual",
    pb.OpSharding.UNKNOWN: "unknown",
    pb.OpSharding.UNREDUCED: "unreduced",
}


def joined(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


def braced(numbers: Iterable[int]) -> str:
    return f"{{{joined(numbers)}}}"


def sharding_text(proto: pb.OpSharding) -> str:
    """A sharding with its braces."""
    if proto.HasField("named_sharding"):
        return _named(proto.named_sharding)
    if proto.type == pb.OpSharding.TUPLE:
        return f"{{{', '.join(map(sharding_text, proto.tuple_shardings))}}}"
    return f"{{{_placement(proto)}{_shard_group(proto)}{_metadata(proto.metadata)}}}"


def _placement(proto: pb.OpSharding) -> str:
    if proto.type in _KINDS:
        return _KINDS[proto.type]
    if proto.type == pb.OpSharding.MAXIMAL:
        return f"maximal device={proto.tile_assignment_devices[0] if proto.tile_assignment_devices else 0}"
    devices = _devices(proto.iota_reshape_dims, proto.iota_transpose_perm) or joined(proto.tile_assignment_devices)
    text = f"devices=[{joined(proto.tile_assignment_dimensions)}]{devices}"
    if proto.replicate_on_last_tile_dim:
        text += " last_tile_dim_replicate"
    if proto.last_tile_dims:
        text += f" last_tile_dims={{{', '.join(_KINDS.get(kind, '?') for kind in proto.last_tile_dims)}}}"
    return text


def _devices(reshape: Sequence[int], permutation: Sequence[int]) -> str:
    """`<=[4,2]T(1,0)`; empty where the devices are listed one by one."""
    if not reshape:
        return ""
    turned = f"T({joined(permutation)})" if len(reshape) > 1 and list(permutation) != sorted(permutation) else ""
    return f"<=[{joined(reshape)}]{turned}"


def _shard_group(proto: pb.OpSharding) -> str:
    if not proto.is_shard_group:
        return ""
    kind = "shard_as" if proto.shard_group_type == pb.OpSharding.AS else "shard_like"
    return f" {kind} {proto.shard_group_id}"


def _metadata(metadata: Sequence[pb.OpMetadata]) -> str:
    texts = [f"{{{metadata_text(each)}}}" for each in metadata]
    if not texts:
        return ""
    return f" metadata={texts[0]}" if len(texts) == 1 else f" metadata={{{', '.join(texts)}}}"


def _named(proto: pb.NamedShardingProto) -> str:
    mesh = proto.mesh
    if not mesh.axes and mesh.device_ids:
        return f"{{{_mesh(mesh)}}}"
    parts = [_mesh(mesh)]
    if proto.dim_shardings:
        parts.append(f"[{', '.join(_dimension(each, mesh) for each in proto.dim_shardings)}]")
    for key, axes in (
        ("replicated", proto.replicated_axes),
        ("unreduced", proto.unreduced_axes),
        ("manual", proto.manual_axes),
    ):
        if axes:
            parts.append(f"{key}={{{_axes(axes, mesh)}}}")
    return f"{{{', '.join(parts)}{',' * bool(proto.metadata)}{_metadata(proto.metadata)}}}"


def _mesh(mesh: pb.MeshProto) -> str:
    if not mesh.axes and mesh.device_ids:
        return f"maximal_mesh[device_id={mesh.device_ids[0]}]"
    axes = ",".join(f"'{axis.name}'={axis.size}" for axis in mesh.axes)
    devices = f", device_ids=({joined(mesh.device_ids)})" if mesh.device_ids else ""
    return f"mesh[{axes}{devices}]"


def _dimension(proto: pb.NamedShardingProto.DimensionSharding, mesh: pb.MeshProto) -> str:
    axes = _axes(proto.axes, mesh)
    return f"{{{axes}{'' if proto.is_closed else ', ?' if axes else '?'}}}"


def _axes(axes: Iterable[pb.AxisRefProto], mesh: pb.MeshProto) -> str:
    return ", ".join(_axis(axis, mesh) for axis in axes)


def _axis(axis: pb.AxisRefProto, mesh: pb.MeshProto) -> str:
    known = 0 <= axis.mesh_axis_index < len(mesh.axes)
    name = mesh.axes[axis.mesh_axis_index].name if known else str(axis.mesh_axis_index)
    part = f":({axis.sub_axis_info.pre_size}){axis.sub_axis_info.size}" if axis.HasField("sub_axis_info") else ""
    return f"'{name}'{part}"


def replica_groups_text(proto: pb.HloInstructionProto) -> str:
    """The groups of a collective, however the proto holds them."""
    if proto.HasField("mesh_axes_replica_group_list"):
        groups = proto.mesh_axes_replica_group_list
        return f"{_mesh(groups.mesh)} {{{_axes(groups.axes, groups.mesh)}}}"
    if proto.HasField("iota_collective_device_list"):
        return _iota_groups(proto.iota_collective_device_list)
    devices = proto.collective_device_list
    if devices.HasField("iota_replica_group_list"):
        return _iota_groups(devices.iota_replica_group_list)
    return _groups(devices.replica_groups or proto.replica_groups)


def _groups(groups: Iterable[pb.ReplicaGroup]) -> str:
    return f"{{{','.join(braced(group.replica_ids) for group in groups)}}}"


def _iota_groups(proto: pb.IotaReplicaGroupListProto) -> str:
    devices = _devices(proto.iota_reshape_dims, proto.iota_transpose_perm)
    return f"[{proto.num_replica_groups},{proto.num_devices_per_group}]{devices}"
