"""What the source page asks of the times of lines: by place, by file, by cost."""

from __future__ import annotations

from collections.abc import Sequence

from xlaviz.timing.lines import LineTime, LineTimes, SourceFile
from xlaviz.ui.source_files import FileRow
from xlaviz.ui.source_text import cost_us, is_library, is_listed, short_names


class SourceLines:
    """The lines of one capture. `with_calls` counts with each line those that it calls; without them what only calls
    others is not listed."""

    def __init__(self, times: LineTimes) -> None:
        self.times = times
        self.with_calls = False
        self.by_place: dict[tuple[str, int], LineTime] = {}
        for line in times.lines:
            self.by_place.setdefault((line.file, line.line), line)
        self.names = short_names([file.path for file in times.files])
        self.has_no_xla = any(line.no_xla_us is not None for line in times.lines)

    def cost_us(self, line: LineTime | None) -> float:
        return cost_us(line, with_calls=self.with_calls) if line is not None else 0.0

    @property
    def hottest_us(self) -> float:
        return max(map(self.cost_us, self.times.lines), default=0.0)

    @property
    def timed(self) -> Sequence[LineTime]:
        """The lines with time of their own in XLA's kernels."""
        return [line for line in self.by_place.values() if line.xla_us]

    def of_file(self, path: str) -> list[LineTime]:
        """The lines of a file that are listed, by their numbers."""
        own = (line for line in self.by_place.values() if line.file == path)
        listed = (line for line in own if is_listed(line, with_calls=self.with_calls))
        return sorted(listed, key=lambda line: line.line)

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """Those that are at hand or have listed lines, by the time of their own lines, the most first."""
        listed = (file for file in self.times.files if file.text is not None or self.of_file(file.path))
        return tuple(sorted(listed, key=lambda file: -self.row(file).xla_us))

    def file(self, path: str) -> SourceFile | None:
        return next((file for file in self.files if file.path == path), None)

    def row(self, file: SourceFile) -> FileRow:
        """A file in the list of files."""
        lines = [line for line in self.by_place.values() if line.file == file.path]
        marks = {"library": is_library(file.path), "not at hand": file.text is None}
        return FileRow(
            file.path,
            self.names[file.path],
            tuple(word for word in marks if marks[word]),
            xla_us=sum(line.xla_us for line in lines),
            no_xla_us=sum(line.no_xla_us or 0.0 for line in lines),
            exact=all(line.exact for line in lines if line.xla_us),
        )

    @property
    def by_cost(self) -> Sequence[LineTime]:
        """The lines that cost something, in files that are known, the costliest first."""
        lines = [line for line in self.by_place.values() if self.cost_us(line) and line.file in self.names]
        return sorted(lines, key=lambda line: (-self.cost_us(line), line.file, line.line))
