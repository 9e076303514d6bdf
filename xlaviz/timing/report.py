"""The page "Does XLA pay?" as data: what is shown in the window, printed as text and written as JSON."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the page. `xla` and `no_xla` are texts for people, one alone where there is nothing to compare;
    `how` says how it was measured. Where it could not be measured both are empty and `missing` says why.
    `value` is what scripts get, plain JSON values.
    """

    key: str
    label: str
    xla: str = ""
    no_xla: str = ""
    ratio: str = ""
    how: str = ""
    missing: str = ""
    is_warning: bool = False
    value: object = None


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a whole, for a chart of bars: compile time by pipeline and pass."""

    label: str
    value: float
    text: str
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Figures that belong together; `bars` go under them."""

    key: str
    title: str
    figures: tuple[Figure, ...]
    bars: tuple[Bar, ...] = ()


@dataclass(frozen=True, slots=True)
class CallTimes:
    """Microseconds of each call, as measured, for the chart at the top; empty where not measured."""

    xla_us: tuple[float, ...] = ()
    no_xla_us: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """`verdict` answers the question in one or two sentences; `sections` hold the evidence."""

    title: str
    verdict: str
    pays: bool | None
    calls: CallTimes
    sections: tuple[Section, ...]
