"""Pictures of estimates: the percentile of an SLO by rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from tailc.artifact.envelope import Policy
from tailc.artifact.estimates import Estimates, RateEstimate
from tailc.report.estimates import (
    HEADS,
    estimates_cells,
    is_overloaded,
    percentile_name,
)
from tailc.report.pictures.axis import linear, logarithmic
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.plot import LegendEntry, Plot
from tailc.report.pictures.tones import line_tone
from tailc.specs.slo import Slo
from tailc.units import format_us

_US_PER_MS = 1_000
_MRPS = 1_000
_ROOM = 1.05
_POLICY, _BY_HAND = line_tone(0), line_tone(1)
_CAPTION = (
    "The percentile at each rate with its 95 % interval, the limit, and the best setting by hand. "
    "Rates at which a server is overloaded have no dot."
)


def estimates_figure(policy: Policy, estimates: Estimates, number: int) -> Figure | None:
    """Draw the percentile of one SLO by rate; None if fewer than two rates are not overloaded."""
    slo, ident = policy.slos[number], f"estimates-{number + 1}"
    of_slo = [row for row in estimates.rows if row.slo == number]
    rows = sorted((row for row in of_slo if not is_overloaded(row)), key=_rate)
    if len({row.rate_mrps for row in rows}) < 2:
        return None
    numbers = Numbers(ident, HEADS, tuple(estimates_cells(policy, of_slo)))
    title = f"{percentile_name(slo)} latency by rate, estimated"
    plot = Plot(
        linear("requests per second", 0.0, _rate(rows[-1]) * _ROOM),
        logarithmic("latency [ms]", list(_times_ms(slo, rows))),
        (LegendEntry("policy", _POLICY), LegendEntry("best setting by hand", _BY_HAND, "dot")),
    )
    marks = [*_policy_marks(plot, rows), *_by_hand_marks(plot, rows)]
    marks.append(plot.level(slo.latency_us / _US_PER_MS, str(slo)))
    return plot.figure(ident, title, _CAPTION, (numbers,), marks)


def _policy_marks(plot: Plot, rows: Sequence[RateEstimate]) -> Iterator[Markup]:
    dots = [(_rate(row), row.tail_us / _US_PER_MS) for row in rows]
    yield plot.line(dots, _POLICY)
    for dot, row in zip(dots, rows, strict=True):
        high = plot.y.high if row.high_us is None else row.high_us / _US_PER_MS
        yield plot.bar(dot[0], row.low_us / _US_PER_MS, high, _POLICY)
        yield plot.dot(dot, _POLICY, f"policy at {row.arrivals}: {format_us(row.tail_us)}")


def _by_hand_marks(plot: Plot, rows: Sequence[RateEstimate]) -> Iterator[Markup]:
    for row in rows:
        setting = row.by_hand
        if setting is not None and not setting.is_overloaded:
            caption = f"{setting.name} at {row.arrivals}: {format_us(setting.tail_us)}"
            yield plot.dot((_rate(row), setting.tail_us / _US_PER_MS), _BY_HAND, caption)


def _times_ms(slo: Slo, rows: Sequence[RateEstimate]) -> Iterator[float]:
    yield slo.latency_us / _US_PER_MS
    for row in rows:
        by_hand_us = row.tail_us
        if row.by_hand is not None and not row.by_hand.is_overloaded:
            by_hand_us = row.by_hand.tail_us
        for time_us in (row.low_us, row.tail_us, row.high_us or row.tail_us, by_hand_us):
            yield max(time_us, 1) / _US_PER_MS


def _rate(row: RateEstimate) -> float:
    return row.rate_mrps / _MRPS
