"""Hand-made XSpaces: one host plane, one metadata plane, times in nanoseconds."""

from __future__ import annotations

from collections.abc import Iterable

from xlaviz.hlo import hlo_pb2
from xlaviz.profile import xplane_pb2 as pb

MODULE = "a_inference_f_1"
Instruction = tuple[str, str, tuple[str, ...], tuple[str, ...]]
"""Name, opcode, operands, called computations."""


def hlo_module(
    computations: dict[str, list[Instruction]], *, partitioned: Iterable[str] = (), name: str = MODULE
) -> hlo_pb2.HloProto:
    """Callees first; the last computation is the entry, the last instruction of each its root."""
    proto = hlo_pb2.HloProto()
    module = proto.hlo_module
    module.name = name
    computation_ids = {name: number for number, name in enumerate(computations, 1)}
    ids: dict[str, int] = {}
    for computation_name, instructions in computations.items():
        computation = module.computations.add(name=computation_name, id=computation_ids[computation_name])
        for instruction_name, opcode, operands, called in instructions:
            ids[instruction_name] = len(ids) + 1
            instruction = computation.instructions.add(
                name=instruction_name,
                opcode=opcode,
                id=ids[instruction_name],
                operand_ids=[ids[operand] for operand in operands],
                called_computation_ids=[computation_ids[other] for other in called],
            )
            instruction.shape.element_type = hlo_pb2.F32
            if instruction_name in partitioned:
                instruction.backend_config = b'{"outer_dimension_partitions":["2"]}'
        computation.root_id = computation.instructions[-1].id
    module.entry_computation_id = module.computations[-1].id
    return proto


class SpaceBuilder:
    """Adds events to '/host:CPU' as TensorFlow does; `ends` says whether ops are producers (2.20 and later)."""

    def __init__(self) -> None:
        self.space = pb.XSpace(hostnames=["box"])
        self.host = self.space.planes.add(name="/host:CPU")
        self._lines: dict[str, pb.XLine] = {}
        self._producers = 0

    def event(
        self, name: str, start: int, end: int, *, lane: str = "python", plane: pb.XPlane | None = None
    ) -> pb.XEvent:
        plane = plane or self.host
        key = plane.name + lane
        if key not in self._lines:
            self._lines[key] = plane.lines.add(name=lane, id=len(self._lines) + 1, timestamp_ns=1000)
        return self._lines[key].events.add(
            metadata_id=self._metadata_id(plane, name), offset_ps=start * 1000, duration_ps=(end - start) * 1000
        )

    def op(
        self,
        name: str,
        start: int,
        returned: int,
        *,
        logged: int | None = None,
        producer: bool = True,
        program_id: int = 7,
        module: str = MODULE,
        lane: str = "python",
    ) -> None:
        """A thunk's event, and its end event at `logged` if given. Without `producer` as TensorFlow 2.19."""
        event = self.event(name, start, returned, lane=lane)
        self.stat(event, "hlo_op", name)
        self.stat(event, "hlo_module", module)
        self.stat(event, "program_id", program_id)
        if producer:
            self._producers += 1
            self.stat(event, "_p", self._producers)
            if logged is not None:
                self.stat(self.event(f"end: {name}", logged, logged + 1, lane=lane), "_c", self._producers)

    def run(
        self, start: int, end: int, *, name: str = "CpuExecutable::ExecuteAsyncOnStream", lane: str = "python"
    ) -> None:
        self.event(name, start, end, lane=lane)

    def embed(self, proto: hlo_pb2.HloProto, *, program_id: int = 7) -> None:
        plane = next((plane for plane in self.space.planes if plane.name == "/host:metadata"), None)
        plane = plane or self.space.planes.add(name="/host:metadata")
        metadata = plane.event_metadata[program_id]
        metadata.id = program_id
        metadata.name = f"{proto.hlo_module.name}({program_id})"
        metadata.stats.add(metadata_id=_stat_id(plane, "Hlo Proto"), bytes_value=proto.SerializeToString())

    def stat(self, event: pb.XEvent, name: str, value: int | str, *, plane: pb.XPlane | None = None) -> None:
        """Text as a reference, as TensorFlow writes it."""
        plane = plane or self.host
        stat = event.stats.add(metadata_id=_stat_id(plane, name))
        if isinstance(value, str):
            stat.ref_value = _stat_id(plane, value)
        else:
            stat.int64_value = value

    def serialized(self) -> bytes:
        return self.space.SerializeToString()

    @staticmethod
    def _metadata_id(plane: pb.XPlane, name: str) -> int:
        for key, metadata in plane.event_metadata.items():
            if metadata.name == name:
                return key
        key = len(plane.event_metadata) + 1
        plane.event_metadata[key].id = key
        plane.event_metadata[key].name = name
        return key


class GpuBuilder(SpaceBuilder):
    """Adds kernels to planes '/device:GPU:N' and their launches to the host."""

    def device(self, number: int) -> pb.XPlane:
        return self.space.planes.add(name=f"/device:GPU:{number}")

    def execution(self, start: int, end: int, *, thread: str = "python") -> None:
        self.run(start, end, name="GpuExecutable::ExecuteThunks", lane=thread)

    def kernel(
        self,
        device: pb.XPlane,
        hlo_op: str,
        launched: int,
        start: int,
        end: int,
        *,
        thread: str = "1",
        stream: str = "Stream #1",
        program_id: int = 7,
    ) -> None:
        """A kernel and the host's call that launched it."""
        self._producers += 1
        for plane, event in (
            (device, self.event(f"{hlo_op}.kd", start, end, lane=stream, plane=device)),
            (self.host, self.event("cuLaunchKernel", launched, launched + 1, lane=f"Host Threads/{thread}")),
        ):
            for name, value in (
                ("hlo_op", hlo_op),
                ("hlo_module", "jit_f"),
                ("program_id", program_id),
                ("correlation_id", self._producers),
            ):
                self.stat(event, name, value, plane=plane)


class TpuBuilder(SpaceBuilder):
    """Adds executions, ops and copies under way to planes '/device:TPU:N'."""

    def device(self, number: int) -> pb.XPlane:
        return self.space.planes.add(name=f"/device:TPU:{number}")

    def execution(self, tpu: pb.XPlane, start: int, end: int, *, program_id: int = 7) -> None:
        self.event(f"jit_f({program_id})", start, end, lane="XLA Modules", plane=tpu)

    def on_tpu(self, tpu: pb.XPlane, name: str, start: int, end: int, *, program_id: int = 7) -> None:
        """The event is named by the op's whole line, its metadata by the op."""
        text = f"%{name} = f32[] custom-call(x), id={program_id}"
        self.event(text, start, end, lane="XLA Ops", plane=tpu)
        metadata = next(metadata for metadata in tpu.event_metadata.values() if metadata.name == text)
        if not metadata.stats:
            metadata.display_name = name
            metadata.stats.add(metadata_id=_stat_id(tpu, "program_id"), uint64_value=program_id)

    def copy_under_way(self, tpu: pb.XPlane, name: str, start: int, end: int) -> None:
        event = self.event("async-copy", start, end, lane="Async XLA Ops", plane=tpu)
        self.stat(event, "hlo_op", name, plane=tpu)


def _stat_id(plane: pb.XPlane, name: str) -> int:
    for key, metadata in plane.stat_metadata.items():
        if metadata.name == name:
            return key
    key = len(plane.stat_metadata) + 1
    plane.stat_metadata[key].id = key
    plane.stat_metadata[key].name = name
    return key
