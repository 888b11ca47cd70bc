"""Spectra of latency by percentile, made of characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tailc.experiment.quantile import Quantile
from tailc.report.pictures.axis import Axis, logarithmic
from tailc.report.pictures.axis import spectrum as percentiles
from tailc.report.pictures.spectra import Spectrum
from tailc.report.terminal.frame import HEIGHT, add_frame, column_of, columns_of, line_of
from tailc.report.terminal.look import Mark, TerminalStyle
from tailc.specs.slo import Slo
from tailc.units import printable

_LINES, _BAND, _LIMIT = "*o+", "|", "-"
# Blue, yellow, magenta, faint and red.
_MARKS = {
    "*": Mark("1;34", "●"),
    "o": Mark("33", "○"),
    "+": Mark("35", "◆"),
    _BAND: Mark("2", "│"),
    _LIMIT: Mark("31", "─"),
}
_US_PER_MS = 1_000


def spectrum_text(
    title: str, spectra: Sequence[Spectrum], slos: Sequence[Slo], look: TerminalStyle
) -> str:
    """Draw latency by percentile on a scale where each further nine is equally wide.

    The first spectrum has its interval; an SLO is a horizontal line up to its percentile.
    """
    slos = [slo for slo in slos if slo.request_class is None]
    x, y = _axes(spectra, slos)
    cells = [[" "] * columns_of(look) for _ in range(HEIGHT)]
    for slo in slos:
        _draw_objective(cells, x, y, slo)
    for quantile in spectra[0].quantiles:
        _draw_interval(cells, x, y, quantile)
    for place, each in reversed(list(enumerate(spectra))):
        for column, latency_ms in _along(each, x, columns_of(look)):
            cells[line_of(y, latency_ms)][column] = _mark(place)
    legend = look.legend(_entries(spectra, slos), _MARKS)
    return "\n".join((printable(title), *add_frame(cells, x, y, look, _MARKS), legend))


def _axes(spectra: Sequence[Spectrum], slos: Sequence[Slo]) -> tuple[Axis, Axis]:
    """Axes of percentiles and of latencies."""
    quantiles = [one for each in spectra for one in each.quantiles]
    times_us = [max(one.estimate_us, 1) for one in quantiles] + [slo.latency_us for slo in slos]
    x = percentiles("percentile of requests", max(one.percentile_ppm for one in quantiles))
    return x, logarithmic("latency [ms]", [time_us / _US_PER_MS for time_us in times_us])


def _entries(spectra: Sequence[Spectrum], slos: Sequence[Slo]) -> Iterator[tuple[str, str]]:
    yield from ((_mark(place), printable(each.name)) for place, each in enumerate(spectra))
    if any(one.low_us is not None for one in spectra[0].quantiles):
        yield _BAND, "95 % interval"
    if slos:
        yield _LIMIT, "objective"


def _mark(place: int) -> str:
    return _LINES[min(place, len(_LINES) - 1)]


def _draw_objective(cells: list[list[str]], x: Axis, y: Axis, slo: Slo) -> None:
    """Draw the limit of an SLO up to its percentile."""
    row = cells[line_of(y, slo.latency_us / _US_PER_MS)]
    for column in range(column_of(x, slo.percentile_ppm, len(row)) + 1):
        row[column] = _LIMIT


def _draw_interval(cells: list[list[str]], x: Axis, y: Axis, one: Quantile) -> None:
    """Draw an interval; without an upper limit it extends to the top."""
    if one.low_us is None:
        return
    high_ms = y.high if one.high_us is None else one.high_us / _US_PER_MS
    top, bottom = line_of(y, high_ms), line_of(y, max(one.low_us, 1) / _US_PER_MS)
    for line in range(top, bottom + 1):
        cells[line][column_of(x, one.percentile_ppm, len(cells[0]))] = _BAND


def _along(each: Spectrum, x: Axis, columns: int) -> list[tuple[int, float]]:
    """Columns of a spectrum's line and the latency there [ms], interpolated between quantiles."""
    points = [(x.fraction(one.percentile_ppm) * columns, max(one.estimate_us, 1) / _US_PER_MS)
             for one in each.quantiles]  # fmt: skip
    crossings = []
    for column in range(columns):
        after = next((place for place, (at, _) in enumerate(points) if at >= column), None)
        if after is None:
            break
        (at, high), (before, low) = points[after], points[max(after - 1, 0)]
        share = (column - before) / (at - before) if at > before else 1.0
        if share >= 0:
            crossings.append((column, low + share * (high - low)))
    return crossings
