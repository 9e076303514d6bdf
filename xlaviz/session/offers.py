"""Ways out of a view that is too large to be drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from xlaviz.session.session import Session
from xlaviz.session.shown import Pane
from xlaviz.session.work import ViewTooLargeError

_NEAR = 3


@dataclass(frozen=True, slots=True)
class Offer:
    """What the user may click, and what it does."""

    text: str
    act: Callable[[], None]


def offers(session: Session, pane: Pane) -> tuple[Offer, ...]:
    """What would make this pane's view small enough; empty where its size is not what is wrong with it."""
    error = session.errors[pane]
    return tuple(_offers(session, pane, error)) if isinstance(error, ViewTooLargeError) else ()


def _offers(session: Session, pane: Pane, error: ViewTooLargeError) -> Iterator[Offer]:
    options = session.options(pane)
    if options.open == "all" or (options.open != "default" and options.open):
        yield Offer("Close all clusters", partial(session.set_open, frozenset()))
    if options.clusters == "none":
        yield Offer("Show clusters", partial(session.set_clusters, None))
    name = _worth_showing(session, pane, error)
    if options.focus is None or options.focus != name:
        yield Offer(f"Show the neighbourhood of {name}", partial(session.show_neighbourhood, pane, name, _NEAR))
    elif options.hops > 1:
        act = partial(session.show_neighbourhood, pane, name, options.hops - 1)
        yield Offer(f"Show a smaller neighbourhood of {name}", act)


def _worth_showing(session: Session, pane: Pane, error: ViewTooLargeError) -> str:
    """The selection, else the kernel that costs most where the pane shows what ran, else what the
    module computes first."""
    selection = session.selection
    if selection.name and (pane == selection.pane or session.mode == "step" or session.lineage is None):
        return selection.name
    if counterparts := selection.names(pane):
        return min(counterparts)
    shown = session.shown
    if shown.snapshot_index(pane) == shown.sequence.last_index and session.kernels and session.kernels.kernels:
        return session.kernels.kernels[0].name
    return error.results[0 if pane == "left" else -1]
