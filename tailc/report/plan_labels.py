"""Labels and the legend of a picture of a plan's jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tailc.forms.plan.plan import Plan
from tailc.report.plan_shown import JobStyle
from tailc.units import shorten

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_SMALL_PT, _PT_PER_IN = 7.0, 72.0
# Approximate size of the axes without labels and legend [inches].
_WIDE_IN, _HIGH_IN = 6.4, 4.4
# Largest width of a character and height of a line, relative to the font size.
_CHARACTER, _LINE = 0.68, 1.35
_LONGEST_NAME = 22
# Margin around a name on a hatched area.
_GROUND_PT = 1.0
# With more pools, the lines between them would hide the rest.
_MOST_LINES = 100
# Replaces characters that the picture's font does not have.
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"


class Area(NamedTuple):
    """A rectangle of a job: seconds since the start horizontally, servers vertically."""

    first_s: int
    past_s: int
    low: int
    high: int

    @property
    def size(self) -> int:
        """Area in server-seconds."""
        return (self.past_s - self.first_s) * (self.high - self.low)

    def fits(self, length_s: float, servers: float) -> bool:
        """Whether a label of this duration and height fits."""
        return self.past_s - self.first_s >= length_s and self.high - self.low >= servers


class ArtistLabel(NamedTuple):
    """A drawn artist and its text in the legend."""

    drawn_as: Artist
    text: str


def name_text(name: str) -> str:
    """Shorten a name, and replace characters that the picture's font does not have."""
    from matplotlib.font_manager import findfont, get_font

    supported = get_font(findfont("DejaVu Sans")).get_charmap()
    short = shorten(name, _LONGEST_NAME)
    return "".join(char if ord(char) in supported else _UNKNOWN for char in short)


def write_name(
    name: str, look: JobStyle, areas: Sequence[Area], axes: Axes, length_s: int, servers: int
) -> None:
    """Write a name at the left of the largest area that it fits in, if any.

    On a hatched area it has a plain background. length_s, servers: extent of the axes.
    """
    character_s = _CHARACTER * _SMALL_PT / _PT_PER_IN / _WIDE_IN * length_s
    line = _LINE * _SMALL_PT / _PT_PER_IN / _HIGH_IN * servers
    fitting = [one for one in areas if one.fits((len(name) + 1) * character_s, line)]
    if fitting:
        into = max(fitting, key=lambda area: area.size)
        at = (into.first_s + character_s / 2, (into.low + into.high) / 2)
        how: Any = {"va": "center", "fontsize": _SMALL_PT, "parse_math": False}
        if look.hatch:
            how["bbox"] = {"facecolor": look.color, "edgecolor": "none", "pad": _GROUND_PT}
        axes.text(*at, name, color=look.ink, zorder=4, **how)


def add_legend(axes: Axes, entries: Sequence[ArtistLabel]) -> None:
    """Add a legend to the right of the axes; texts are drawn literally."""
    place: Any = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.01), "frameon": False}
    handles = [entry.drawn_as for entry in entries]
    # matplotlib omits texts that begin with `_`, and reads `$` as the start of a formula.
    legend = axes.legend(handles, ["?"] * len(handles), fontsize=_SMALL_PT, **place)
    for text, entry in zip(legend.get_texts(), entries, strict=True):
        text.set_parse_math(False)
        text.set_text(entry.text)


def name_pools(axes: Axes, plan: Plan) -> None:
    """Write the name of each pool at its middle; omit names that would overlap."""
    least = _LINE * _SMALL_PT / _PT_PER_IN / _HIGH_IN * plan.servers
    named: dict[float, str] = {}
    floor = 0
    for pool in plan.pools:
        middle = floor + pool.servers / 2
        floor += pool.servers
        if len(plan.pools) <= _MOST_LINES:
            axes.axhline(floor, color="0.8", linewidth=0.4, zorder=1)
        if not named or middle - max(named) >= least:
            named[middle] = name_text(pool.name)
    axes.set_yticks(list(named), list(named.values()), fontsize=_SMALL_PT, parse_math=False)
