"""Colours of the picture, light and dark. One place, so that canvas, charts and exports agree."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QColor

from xlaviz.graph.families import Family

_GOLDEN_RATIO = 0.618033988749895
_HEAT_STOPS = {
    "light": ("#fff4cc", "#fee08b", "#fdb863", "#f4803c", "#dd4a2b", "#b31529", "#7a0226"),
    "dark": ("#452b25", "#68341f", "#923f16", "#c2540f", "#e67e1c", "#f8b23c", "#fff0a3"),
}
_EVEN_LUMINANCE = 0.22  # above 0.18, where both measure the same: white looks stronger on a hue


@dataclass(frozen=True, slots=True)
class Theme:
    """`families` maps a family to fill and line; the colours of changes are always shown with a sign too."""

    name: str
    window: str
    panel: str
    canvas: str
    text: str
    muted: str
    line: str
    edge: str
    accent: str
    selection: str
    added: str
    removed: str
    changed: str
    moved: str
    heat: str
    families: dict[Family, tuple[str, str]]

    @property
    def is_dark(self) -> bool:
        return self.name == "dark"


LIGHT = Theme(
    name="light",
    window="#ffffff",
    panel="#f5f7fa",
    canvas="#ffffff",
    text="#1f2430",
    muted="#6b7480",
    line="#d8dde4",
    edge="#99a3b0",
    accent="#2f6feb",
    selection="#dce8fd",
    added="#1a7f37",
    removed="#cf222e",
    changed="#bf8700",
    moved="#6639ba",
    heat="#d9822b",
    families={
        "parameter": ("#e8ebef", "#8a94a0"),
        "elementwise": ("#dcebfb", "#3b82c4"),
        "reduction": ("#ebddf7", "#8e5bc2"),
        "dot": ("#ffe3c2", "#d9822b"),
        "data movement": ("#d3f0ea", "#1f9e89"),
        "control flow": ("#fff3bf", "#c9a400"),
        "collective": ("#fad7dd", "#c7425a"),
        "custom call": ("#d9dde3", "#3a4653"),
        "fusion": ("#eef2f8", "#5b7bb4"),
    },
)

DARK = Theme(
    name="dark",
    window="#1b1f27",
    panel="#20252e",
    canvas="#171a21",
    text="#e6eaf0",
    muted="#98a2b0",
    line="#39414d",
    edge="#6d7886",
    accent="#6ea0ff",
    selection="#2a3b5c",
    added="#4ac26b",
    removed="#ff7b72",
    changed="#d9a520",
    moved="#b392f0",
    heat="#e59a4c",
    families={
        "parameter": ("#2f353f", "#8a94a0"),
        "elementwise": ("#1e3a55", "#5b9bd8"),
        "reduction": ("#3b2a52", "#a97fd8"),
        "dot": ("#54391a", "#e59a4c"),
        "data movement": ("#17433b", "#3cb9a3"),
        "control flow": ("#4a4213", "#d8b624"),
        "collective": ("#4f2630", "#e06a80"),
        "custom call": ("#343b46", "#a3adba"),
        "fusion": ("#262d3a", "#7f9fd8"),
    },
)

THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


@dataclass(frozen=True, slots=True)
class FusionColours:
    tint: QColor
    line: QColor
    title: QColor
    title_text: QColor


@lru_cache(maxsize=4096)
def fusion_colours(number: int, theme_name: str) -> FusionColours:
    """The hue of the fusion with this number: the same in both panes, far from its neighbours'."""
    hue = (0.93 + number * _GOLDEN_RATIO) % 1.0
    strong = _from_hls(hue, 0.62 if theme_name == "dark" else 0.55, 0.62)
    title, tint = QColor(strong), QColor(strong)
    title.setAlphaF(0.8)
    tint.setAlphaF(0.18 if theme_name == "dark" else 0.13)
    canvas = QColor(THEMES[theme_name].canvas)
    return FusionColours(tint=tint, line=strong, title=title, title_text=ink_on(mixed(strong, canvas, 0.8)))


def heat_colour(share: float, theme: Theme) -> QColor:
    """The fill of what has this share, 0 to 1, of the hottest one's time. Its luminance falls with the share on the
    light theme and rises with it on the dark one, so that it reads without hues too."""
    stops = _HEAT_STOPS[theme.name]
    place = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    below = min(int(place), len(stops) - 2)
    return mixed(QColor(stops[below + 1]), QColor(stops[below]), place - below)


def mixed(colour: QColor, ground: QColor, share: float) -> QColor:
    """A colour as it looks on a ground with this opacity."""
    pairs = zip(_rgb(colour), _rgb(ground), strict=True)
    return QColor.fromRgbF(*(share * one + (1 - share) * other for one, other in pairs))


def ink_on(ground: QColor) -> QColor:
    """Black or white, whichever reads better (WCAG's relative luminance)."""
    red, green, blue = (value**2.2 for value in _rgb(ground))
    is_bright = 0.2126 * red + 0.7152 * green + 0.0722 * blue > _EVEN_LUMINANCE
    return QColor("#11141a" if is_bright else "#ffffff")


def _rgb(colour: QColor) -> tuple[float, float, float]:
    return colour.redF(), colour.greenF(), colour.blueF()


def _from_hls(hue: float, lightness: float, saturation: float) -> QColor:
    red, green, blue = colorsys.hls_to_rgb(hue, lightness, saturation)
    return QColor.fromRgbF(red, green, blue)
