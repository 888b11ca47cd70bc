"""Convert the objective of tuning in a spec to that of a search by simulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tailc.errors import Code, TailcError
from tailc.experiment.tuning_objective import BatchTiming, Criterion, TuningObjective
from tailc.models.arrivals import Pattern
from tailc.models.diurnal import DayCurve
from tailc.models.modulated_arrivals import BUSY_PPM, Burstiness, ModulatedArrivals
from tailc.specs.arrivals import BurstsSpec
from tailc.specs.fields import Complaint
from tailc.specs.simulation_fields import TunedSearch, range_of
from tailc.specs.slo import Slo
from tailc.traces.arrivals import ArrivalColumn, GapTreatment
from tailc.traces.reading import TimeUnit
from tailc.units import format_mrps


def objective_of(
    search: TunedSearch,
    slo: Slo,
    rates_mrps: Sequence[int],
    criterion: Criterion,
    *,
    target_us: int | None = None,
    batch_timing: BatchTiming | None = None,
) -> TuningObjective:
    """Make the tuning objective: the SLO's percentile, or a criterion subject to it.

    target_us: limit of the percentile in the search, at most the SLO's latency, which is the
    default.
    """
    kept_us = None if criterion is Criterion.TAIL else slo.latency_us
    if criterion is Criterion.RATE:
        rates_mrps = range_of(rates_mrps)
    return TuningObjective(
        slo.percentile_ppm,
        tuple(rates_mrps),
        search.weights or (1,) * len(rates_mrps),
        search.requests,
        _pattern_of(search),
        recorded=_column_of(search),
        criterion=criterion,
        target_us=kept_us and (target_us or kept_us),
        limit_us=kept_us,
        batch_timing=batch_timing,
    )


def _pattern_of(search: TunedSearch) -> Pattern | None:
    """The arrival pattern in the spec; None: Poisson, or recorded."""
    if search.diurnal_ppm is not None:
        return DayCurve(search.diurnal_ppm)
    return None if search.bursts is None else burstiness_of(search.bursts)


def _column_of(search: TunedSearch) -> ArrivalColumn | None:
    """The column of recorded arrivals, to be read from the trace."""
    recorded = search.recorded
    if recorded is None:
        return None
    unit = None if recorded.unit is None else TimeUnit(recorded.unit)
    return ArrivalColumn(
        recorded.column,
        unit,
        GapTreatment(recorded.gaps),
        is_rescaled=True,
        asked_at="search.recorded",
    )


def burstiness_of(bursts: BurstsSpec) -> Burstiness:
    """Convert a spec's bursts to the burstiness of arrivals."""
    return Burstiness(bursts.idc_ppm, bursts.spell_us, bursts.busy_ppm or BUSY_PPM)


def burst_complaints(bursts: BurstsSpec, rates_mrps: Sequence[int]) -> Iterator[Complaint]:
    """Report each arrival rate at which a spec's bursts are impossible."""
    for place, rate_mrps in enumerate(rates_mrps):
        try:
            ModulatedArrivals(rate_mrps, burstiness_of(bursts))
        except TailcError as error:
            (finding,) = error.findings
            where, also = ("search", "bursts"), ("rates", place)
            message = f"is not possible at the rate {format_mrps(rate_mrps)}: {finding.message}"
            yield Complaint(Code.CONFLICT, message, finding.help or "", where, also)
