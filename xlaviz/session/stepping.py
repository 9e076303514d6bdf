"""Which snapshot a step leads to."""

from __future__ import annotations

from collections.abc import Sequence

from xlaviz.session.stories import SnapshotSummary


def next_changed(summaries: Sequence[SnapshotSummary], index: int, by: int, last_index: int) -> int:
    """The next snapshot before or after `index` whose pass changed something; the end where no other did.

    Of what is not known yet nothing is skipped.
    """
    place = index + by
    while 0 < place < last_index and place < len(summaries) and not summaries[place].changes:
        place += by
    return min(max(place, 0), last_index)
