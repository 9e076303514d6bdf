"""How far the times of profiles and bundles can be trusted, and how fast they are read.

python tests/benchmarks/bench_profile.py PATH...          bundles, profiles, log folders
python tests/benchmarks/bench_profile.py --synthetic N    a loop of N rounds: 2 N events, 60 MB for 600000

For each module that has times: the part of a run that kernels cover (median, least and most over runs), kernels whose
ends were recorded and inferred, events that are instructions and that are none, the part of the kernels' time that
leads to no line of the user's. Then the seconds and the peak memory of a fresh process that reads the file.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from xlaviz.base.errors import XlavizError
from xlaviz.dumps.sequence import PassSequence
from xlaviz.hlo import hlo_pb2
from xlaviz.profile import xplane_pb2 as pb
from xlaviz.session import documents, timings

ROOTS = {"dot": (), "compare": (), "while": (1, 2)}
"""What each computation of the synthetic module ends in, and the computations that calls."""
NAMES = {"dot": "dot.2", "compare": "less.3", "while": "while.1"}

READ = """
import json, resource, sys, time
from pathlib import Path
from xlaviz.profile.kernels import kernel_table
from xlaviz.session import documents

path, reports = Path(sys.argv[1]), []
report = lambda share, text: reports.append(share)
before = time.perf_counter()
documents.open_info(report, path)
opened = documents.opened_at(path)
sequence = opened.document.main_sequence
profile = opened.profile(sequence, report)
read = time.perf_counter()
program = opened.document.program_of(sequence, profile)
module = opened.module(sequence.snapshots[-1]) if program is not None else None
kernels = len(kernel_table(profile, program, module).kernels) if program is not None else 0
added = time.perf_counter()
print(json.dumps({
    "read_s": read - before, "table_s": added - read, "events": len(profile.events), "runs": len(profile.runs),
    "kernels": kernels, "reports": len(reports), "notes": profile.notes,
    "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--synthetic", type=int, metavar="N", help="write and read a profile of a loop of N rounds")
    options = parser.parse_args()
    for path in options.paths:
        report(path.absolute())
    if options.synthetic:
        for runs in (1, 20):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "synthetic.xplane.pb"
                path.write_bytes(synthetic(options.synthetic, runs))
                print(f"{runs} runs, {2 * options.synthetic:,} events of ops")
                print_reading(path)


def report(path: Path) -> None:
    print(path.name)
    try:
        sequences = documents.opened_at(path).document.sequences
        for sequence in sequences:
            print_trust(path, sequence)
    except XlavizError as error:
        print(f"  {error}")
        return
    finally:
        documents.close_all()
    print_reading(path)


def print_trust(path: Path, sequence: PassSequence) -> None:
    table = timings.kernels(documents.silent, path, sequence)
    if table is None or not table.runs:
        return
    lines = timings.lines(documents.silent, path, sequence)
    exact = [kernel for kernel in table.kernels if kernel.exact]
    inferred_share = sum(kernel.share for kernel in table.kernels if not kernel.exact)
    matched = sum(kernel.runs for kernel in table.kernels)
    least, most = min(table.coverage_per_run), max(table.coverage_per_run)
    print(
        f"  {sequence.name[:48]}: {table.runs} runs of {table.run_us:.1f} us;"
        f" coverage {table.coverage:.1%} ({least:.1%} to {most:.1%});"
        f" kernels {len(exact)} exact, {len(table.kernels) - len(exact)} inferred ({inferred_share:.1%} of a run);"
        f" executions {matched} matched, events {table.unmatched} unmatched;"
        f" {lines.unattributed_share if lines is not None else 1:.1%} of the kernels' time leads to no line"
    )


def print_reading(path: Path) -> None:
    command = [sys.executable, "-c", READ, str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        print(f"  cannot be read: {done.stderr.strip().splitlines()[-1]}")
        return
    found = json.loads(done.stdout)
    print(
        f"  read in {found['read_s']:.2f} s, table in {found['table_s']:.2f} s, {found['peak_mb']:.0f} MB at the peak:"
        f" {found['events']:,} events, {found['runs']} runs, {found['kernels']} kernels,"
        f" {found['reports']} reports of progress"
    )
    for note in found["notes"]:
        print(f"  {note}")


def synthetic(rounds: int, runs: int) -> bytes:
    """A profile as TensorFlow 2.21 writes it: `runs` executions of a loop with `rounds` rounds in all, in each a dot
    and its end event, which lie on two threads."""
    space = pb.XSpace(hostnames=["synthetic"])
    space.planes.add(name="/host:metadata").CopyFrom(_metadata())
    plane = space.planes.add(name="/host:CPU")
    names = ("CpuExecutable::ExecuteAsyncOnStream", "while.1", "dot.2", "end: dot.2", "ThreadpoolListener::Record")
    for number, name in enumerate(names, 1):
        plane.event_metadata[number].id = number
        plane.event_metadata[number].name = name
    stats = ("hlo_op", "hlo_module", "program_id", "_p", "_c", "run_id", "device_ordinal", "_pt", "_ct")
    texts = ("while.1", "dot.2", "a_inference_loop_1")
    for number, name in enumerate((*stats, *texts), 1):
        plane.stat_metadata[number].id = number
        plane.stat_metadata[number].name = name
    caller = plane.lines.add(id=1, name="python", timestamp_ns=5)
    worker = plane.lines.add(id=2, name="tf_Eigen", timestamp_ns=5)
    length_ps = rounds // runs * 3_000_000
    for run in range(runs):
        start_ps = run * (length_ps + 1_000_000)
        caller.events.add(metadata_id=1, offset_ps=start_ps, duration_ps=length_ps)
        _op(caller, 2, 10, start_ps, length_ps, run)
        for number in range(rounds // runs):
            offset_ps = start_ps + number * 3_000_000
            producer = 10**9 + run * rounds + number
            _op(worker, 3, 11, offset_ps, 2_500_000, producer)
            end = worker.events.add(metadata_id=4, offset_ps=offset_ps + 2_400_000, duration_ps=50_000)
            end.stats.add(metadata_id=5, uint64_value=producer)
            end.stats.add(metadata_id=9, uint64_value=0)
    return space.SerializeToString()


def _op(line: pb.XLine, metadata_id: int, text: int, offset_ps: int, duration_ps: int, producer: int) -> None:
    event = line.events.add(metadata_id=metadata_id, offset_ps=offset_ps, duration_ps=duration_ps)
    stat = event.stats.add
    stat(metadata_id=1, ref_value=text)
    stat(metadata_id=2, ref_value=12)
    stat(metadata_id=3, int64_value=7)
    stat(metadata_id=4, uint64_value=producer)
    stat(metadata_id=6, int64_value=-1)
    stat(metadata_id=7, int64_value=-1)
    stat(metadata_id=8, uint64_value=0)


def _metadata() -> pb.XPlane:
    proto = hlo_pb2.HloProto()
    module = proto.hlo_module
    module.name, module.id = "a_inference_loop_1", 7
    ids = iter(range(1, 100))
    for number, (opcode, called) in enumerate(ROOTS.items(), 1):
        computation = module.computations.add(name=f"of_{opcode}", id=number)
        parameter = computation.instructions.add(name=f"x.{number}", opcode="parameter", id=next(ids))
        root = computation.instructions.add(name=NAMES[opcode], opcode=opcode, id=next(ids))
        root.operand_ids.append(parameter.id)
        root.called_computation_ids.extend(called)
        for one in (parameter, root):
            one.shape.element_type = hlo_pb2.F32
        computation.root_id = root.id
    module.entry_computation_id = 3
    plane = pb.XPlane(name="/host:metadata")
    plane.stat_metadata[1].id, plane.stat_metadata[1].name = 1, "Hlo Proto"
    metadata = plane.event_metadata[7]
    metadata.id, metadata.name = 7, "a_inference_loop_1(7)"
    metadata.stats.add(metadata_id=1, bytes_value=proto.SerializeToString())
    return plane


if __name__ == "__main__":
    main()
