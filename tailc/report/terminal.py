"""Pictures in plain characters, for a terminal: the map of a policy, and latency by percentile.

No colours, and the same characters for the same content and width.
"""

from __future__ import annotations

from collections.abc import Sequence

from tailc.forms.ladder.lookup import lookup
from tailc.forms.ladder.table import AdmissionKind, Ladder, LoadAxis
from tailc.report.page.axis import Axis, logarithmic, spectrum
from tailc.report.page.ladder_map import Extent, Span, extent
from tailc.report.page.spectra import Spectrum
from tailc.specs.slo import Slo
from tailc.units import printable
from tailc.verify.pictured import Quantile

NARROWEST, WIDEST = 40, 120
_HEIGHT = 16
# Room for the numbers beside an axis, and the axis itself.
_LEFT = 9
_RUNGS = "123456789abcdefghijklmnopqrstuvwxyz"
_STARTS = {AdmissionKind.AT_ONCE: ".", AdmissionKind.DELAY: "d", AdmissionKind.ON_EXIT: "x"}
_SAID = {".": "at once", "d": "after a delay", "x": "at an exit"}
_MARKS, _BAND, _LIMIT = "*o+", "|", "-"
_US_PER_MS, _MRPS = 1_000, 1_000


def map_text(ladder: Ladder, width: int) -> str:
    """Which rung a request runs on, by load and age; and how requests start, where some wait."""
    shown, columns = extent(ladder), _columns(width)
    loads = [_value(shown.x, (column + 0.5) / columns) for column in range(columns)]
    ages_us = [
        round(_value(shown.y, (line + 0.5) / _HEIGHT) * _US_PER_MS) for line in range(_HEIGHT)
    ]
    factor = _MRPS if ladder.load_axis is LoadAxis.RATE else 1
    cells = [
        [_RUNGS[min(lookup(ladder, round(load * factor), 0, age_us).rung, len(_RUNGS) - 1)]
         for load in loads]
        for age_us in reversed(ages_us)
    ]  # fmt: skip
    lines = [shown.y.title, *_framed(cells, shown.y), *_below(shown.x, columns)]
    names = "  ".join(f"{_RUNGS[n]} {printable(r.name)}" for n, r in enumerate(ladder.rungs))
    starts = _starts(ladder, shown, loads)
    return "\n".join((*_above(starts), *lines, names))


def spectrum_text(title: str, spectra: Sequence[Spectrum], slos: Sequence[Slo], width: int) -> str:
    """Latency by percentile on a scale where each further nine is as wide as the last.

    The first of the spectra has its interval beside it; objectives are a level and its end.
    """
    columns = _columns(width)
    told = [one for each in spectra for one in each.quantiles]
    x = spectrum("percentile of requests", max(one.percentile_ppm for one in told))
    limits_us = [slo.latency_us for slo in slos if slo.request_class is None]
    times_ms = [max(one.estimate_us, 1) / _US_PER_MS for one in told]
    y = logarithmic("latency [ms]", [*times_ms, *(us / _US_PER_MS for us in limits_us)])
    cells = [[" "] * columns for _ in range(_HEIGHT)]
    for slo in slos:
        if slo.request_class is None:
            line = _line(y, slo.latency_us / _US_PER_MS)
            for column in range(_column(x, slo.percentile_ppm, columns) + 1):
                cells[line][column] = _LIMIT
    for quantile in spectra[0].quantiles:
        _draw_interval(cells, x, y, quantile)
    for place, each in reversed(list(enumerate(spectra))):
        for column, latency_ms in _along(each, x, columns):
            cells[_line(y, latency_ms)][column] = _MARKS[min(place, len(_MARKS) - 1)]
    legend = "  ".join(f"{_MARKS[min(place, len(_MARKS) - 1)]} {printable(each.name)}"
                       for place, each in enumerate(spectra))  # fmt: skip
    legend += f"  {_BAND} 95 % interval" + f"  {_LIMIT} objective" * bool(limits_us)
    lines = (printable(title), y.title, *_framed(cells, y), *_below(x, columns), legend)
    return "\n".join(lines)


def _columns(width: int) -> int:
    return max(min(width, WIDEST), NARROWEST) - _LEFT


def _value(axis: Axis, place: float) -> float:
    """What stands at a place from 0 to 1 of a linear axis."""
    return axis.low + place * (axis.high - axis.low)


def _column(axis: Axis, value: float, columns: int) -> int:
    return min(int(axis.at(value) * columns), columns - 1)


def _line(axis: Axis, value: float) -> int:
    """From the top."""
    return _HEIGHT - 1 - min(int(axis.at(value) * _HEIGHT), _HEIGHT - 1)


def _starts(ladder: Ladder, shown: Extent, loads: Sequence[float]) -> str:
    """A character a column, or nothing where all requests start at once."""
    spans: list[Span] = list(shown.spans(ladder))
    if all(span.row.admission.kind is AdmissionKind.AT_ONCE for span in spans):
        return ""
    return "".join(
        next(_STARTS[span.row.admission.kind] for span in reversed(spans) if span.left <= load)
        for load in loads
    )


def _above(starts: str) -> list[str]:
    if not starts:
        return []
    told = ", ".join(f"{mark} {said}" for mark, said in _SAID.items() if mark in starts)
    return [f"requests start: {told}", f"{'':{_LEFT}}{starts}"]


def _draw_interval(cells: list[list[str]], x: Axis, y: Axis, one: Quantile) -> None:
    """Up to the top where nothing limits it."""
    if one.low_us is None:
        return
    high_ms = y.high if one.high_us is None else one.high_us / _US_PER_MS
    top, bottom = _line(y, high_ms), _line(y, max(one.low_us, 1) / _US_PER_MS)
    for line in range(top, bottom + 1):
        cells[line][_column(x, one.percentile_ppm, len(cells[0]))] = _BAND


def _along(each: Spectrum, x: Axis, columns: int) -> list[tuple[int, float]]:
    """Each column that the line passes, and its latency there [ms], between quantiles straight."""
    known = [(x.at(one.percentile_ppm) * columns, max(one.estimate_us, 1) / _US_PER_MS)
             for one in each.quantiles]  # fmt: skip
    found = []
    for column in range(columns):
        after = next((place for place, (at, _) in enumerate(known) if at >= column), None)
        if after is None:
            break
        (at, high), (before, low) = known[after], known[max(after - 1, 0)]
        share = (column - before) / (at - before) if at > before else 1.0
        if share >= 0:
            found.append((column, low + share * (high - low)))
    return found


def _framed(cells: Sequence[Sequence[str]], axis: Axis) -> list[str]:
    """Lines with the numbers of the axis beside them."""
    beside = {_line(axis, value): text for value, text in axis.ticks}
    return [f"{beside.get(line, ''):>{_LEFT - 2}} |{''.join(row)}".rstrip()
            for line, row in enumerate(cells)]  # fmt: skip


def _below(axis: Axis, columns: int) -> list[str]:
    """The axis, as many of its numbers as have room, and what it is."""
    numbers = ""
    for value, text in axis.ticks:
        at = _LEFT + _column(axis, value, columns) - len(text) // 2
        if at > len(numbers) and at + len(text) <= _LEFT + columns:
            numbers = f"{numbers:{at}}{text}"
    return [
        f"{'':{_LEFT - 1}}+{'-' * columns}",
        numbers,
        f"{axis.title:^{_LEFT + columns}}".rstrip(),
    ]
