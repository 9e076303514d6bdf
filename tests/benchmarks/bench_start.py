"""How long a user waits: an empty window, and from `xlaviz FILE` to both graphs on the screen, each in a new process.

    python tests/benchmarks/bench_start.py [BUNDLE OR DUMP FOLDER] [ROUNDS]

Without an argument on the small bundle of the tests. Prints medians, in seconds.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

SMALL = Path(__file__).parents[1] / "data" / "matmul.xlaviz"

PROGRAM = """
import sys
from pathlib import Path
from xlaviz.cli.window import make_application
application = make_application()
from xlaviz.base.settings import Settings
from xlaviz.ui.main_window import MainWindow
window = MainWindow(Settings())
window.show()
application.processEvents()
if len(sys.argv) > 1:
    window.document_shown.connect(application.quit)
    window.session.failed.connect(lambda error: (print(error), application.exit(1)))
    window.open_path(Path(sys.argv[1]))
    application.exec()
    window.grab()
window.close()
"""


def seconds(*arguments: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", PROGRAM, *arguments], check=True)
    return time.perf_counter() - start


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else SMALL
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    bare = statistics.median(seconds() for _ in range(rounds))
    print(f"empty window, start to end of the process: {bare:.2f} s")
    full = statistics.median(seconds(str(path)) for _ in range(rounds))
    print(f"{path.name}, start to both graphs drawn:   {full:.2f} s")


if __name__ == "__main__":
    main()
