"""The worker process: reads requests on its standard input, answers on its standard output.

A frame is its length (8 bytes, little endian) and a pickle. Requests are (function name, arguments); answers are
("progress", share, text), ("done", value) or ("failed", error). Only the parent writes to it, so pickle is safe here.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import traceback
from typing import Any, BinaryIO

from xlaviz.base.errors import WorkFailedError, XlavizError
from xlaviz.session import compile_times, documents, placing, stories, text_diff, timings, work
from xlaviz.session.card import instruction_card
from xlaviz.session.detail import cluster_detail, instruction_detail
from xlaviz.session.finding import find_instructions

LENGTH = struct.Struct("<Q")
BACKGROUND = "--background"
CALLS = {
    call.__name__: call
    for call in (
        documents.open_info,
        work.single_view,
        work.step_view,
        compile_times.compile_times,
        stories.story,
        text_diff.text_diff,
        stories.follow,
        stories.biography,
        stories.rewrites,
        stories.first_change_after,
        timings.kernels,
        timings.kernel_members,
        timings.kernel_groups,
        timings.lines,
        timings.run_timeline,
        timings.kernel_executions,
        timings.machine_peaks,
        timings.does_xla_pay,
        placing.refine_view,
        placing.refine_sides,
        placing.adopt_view,
        placing.adopt_sides,
        documents.module_facts,
        documents.side_file_text,
        instruction_detail,
        cluster_detail,
        find_instructions,
        instruction_card,
    )
}


def main() -> None:
    """Serve until the input ends; with BACKGROUND, behind everything the user waits for."""
    if BACKGROUND in sys.argv and hasattr(os, "nice"):
        os.nice(10)
    if hasattr(os, "setsid") and os.getpid() != os.getsid(0):
        os.setsid()  # a session of its own, so that killing the group takes Graphviz along
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not get between the frames
    requests = sys.stdin.buffer
    while (head := requests.read(LENGTH.size)) and len(head) == LENGTH.size:
        name, arguments = pickle.loads(requests.read(LENGTH.unpack(head)[0]))
        _send(replies, _answer(replies, name, arguments))
    documents.close_all()


def _answer(replies: BinaryIO, name: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    def report(share: float, text: str) -> None:
        _send(replies, ("progress", share, text))

    try:
        return ("done", CALLS[name](report, *arguments))
    except XlavizError as error:
        return ("failed", error)
    except MemoryError:
        return ("failed", WorkFailedError("There is not enough memory for this.", hint="Close clusters or modules."))
    except Exception as error:  # noqa: BLE001 - the window says it and goes on
        text = f"xlaviz failed on this ({type(error).__name__}: {error})."
        return ("failed", WorkFailedError(text, hint="Please report it.", detail=traceback.format_exc()))


def _send(stream: BinaryIO, message: tuple[Any, ...]) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


if __name__ == "__main__":
    main()
