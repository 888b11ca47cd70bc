"""Draw what is proved about a ladder: objective, bound and gap at each load."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from tailc.artifact.envelope import Evidence, Policy
from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.percentiles import PPM
from tailc.report.energy import in_watts, is_by_rate, is_energy
from tailc.report.pictures.axis import count_axis, linear
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.plot import LegendEntry, Plot
from tailc.report.policy import evidence_line
from tailc.units import number_text

_IDENT, _TITLE = "certificate", "Certificate"
_OBJECTIVE, _BOUND = "t0", "t1"
_US_PER_MS = 1_000
_MRPS = 1_000
_ROOM = 1.08


def certificate_figure(policy: Policy) -> Figure:
    """Draw objectives and proved bounds by load; only text if fewer than two loads have a value."""
    evidence = policy.evidence
    line = evidence_line(policy)
    caption = f"{line[:1].upper()}{line[1:]}."
    rows = evidence.rows
    numbers = (_numbers(evidence),) if rows else ()
    if len(rows) < 2:
        return Figure(_IDENT, _TITLE, caption, numbers)
    bounded = any(row.bound_us is not None for row in rows)
    caption += " The objective of the table at each load"
    caption += ", and the least objective of any table." if bounded else "; no bound is known."
    plot = _plot(evidence, bounded)
    return plot.figure(_IDENT, _TITLE, caption, numbers, _marks(plot, evidence))


def _plot(evidence: Evidence, bounded: bool) -> Plot:
    loads = [row.load for row in evidence.rows]
    if is_by_rate(evidence):
        x = linear("requests per second", 0.0, max(loads) / _MRPS * _ROOM)
    else:
        x = count_axis("requests in the system", min(loads), max(loads))
    most = max(_to_axis_unit(evidence, row.objective_us) for row in evidence.rows)
    entries = [LegendEntry("objective", _OBJECTIVE, "dot")]
    entries += [LegendEntry("proved bound", _BOUND)] * bounded
    return Plot(x, linear(_unit(evidence), 0.0, most * _ROOM), tuple(entries))


def _marks(plot: Plot, evidence: Evidence) -> Iterator[Markup]:
    unit = _unit(evidence)
    bounds = [
        (_load(evidence, row), _to_axis_unit(evidence, row.bound_us))
        for row in evidence.rows
        if row.bound_us is not None
    ]
    if bounds:
        yield plot.line(bounds, _BOUND)
    for row in evidence.rows:
        load, value = _load(evidence, row), _to_axis_unit(evidence, row.objective_us)
        if row.bound_us is not None:
            yield plot.bar(load, _to_axis_unit(evidence, row.bound_us), value, _OBJECTIVE)
        yield plot.dot((load, value), _OBJECTIVE, f"load {load:g}: {unit} {value:.6g}")


def _load(evidence: Evidence, row: RowEvidence) -> float:
    return row.load / _MRPS if is_by_rate(evidence) else float(row.load)


def _to_axis_unit(evidence: Evidence, value: int) -> float:
    """Convert a value to the unit of the axis."""
    return value / PPM / _US_PER_MS if is_energy(evidence) else value / _US_PER_MS


def _unit(evidence: Evidence) -> str:
    if is_energy(evidence):
        return f"{evidence.objective} [{'mJ' if in_watts(evidence) else 'slow-core ms'}]"
    return f"{evidence.objective} [ms]"


def _numbers(evidence: Evidence) -> Numbers:
    load = "rate [1/s]" if is_by_rate(evidence) else "in system"
    unit = _unit(evidence)
    heads = (load, unit, "bound", "gap", "tail [ms]", "tail low [ms]", "tail high [ms]")
    return Numbers(_IDENT, heads, tuple(_row(evidence, row) for row in evidence.rows))


def _row(evidence: Evidence, row: RowEvidence) -> tuple[str, ...]:
    objective, bound, gap = (
        "" if value is None else f"{_to_axis_unit(evidence, value):.9g}"
        for value in (row.objective_us, row.bound_us, row.gap_us)
    )
    tails = ("" if us is None else number_text(us / _US_PER_MS)
             for us in (row.tail_us, row.tail_low_us, row.tail_high_us))  # fmt: skip
    return (f"{_load(evidence, row):g}", objective, bound, gap, *tails)
