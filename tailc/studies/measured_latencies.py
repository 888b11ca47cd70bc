"""Read the latencies that a server measured, by the readers of `tailc ingest`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tailc.errors import Code, Finding, Place, Severity, TailcError
from tailc.ingest.formats import format_written
from tailc.ingest.ingest import ingest_source
from tailc.ingest.options import InputOptions
from tailc.ingest.stated_measure import StatedMeasure
from tailc.models.dispersion import window_lengths_us
from tailc.models.outcome import NS_PER_US, nearest_us
from tailc.pipeline.remarks import LEAST_LATENCIES, MOST_LATENCIES
from tailc.specs.slo import Slo
from tailc.traces.arrivals import FEWEST_ARRIVALS, ArrivalColumn, Times, times_in
from tailc.traces.demand_log import is_demand_log
from tailc.traces.histogram import Histogram, histogram_of
from tailc.traces.profile import Measure
from tailc.traces.request_log import RequestLog, is_request_log, request_log_in
from tailc.traces.source import Source, open_source
from tailc.units import format_us

# Advice for errors of the readers, which name options of `tailc ingest`.
_ADVICE = {
    Code.CLOSED_LOOP: "measure at a rate: the replay predicts latencies of requests that arrive "
    "independently of the server",
    Code.OTHER_PROFILE: "give the response times of the server",
}
_OPTIONS = {
    ", and what it measures with `--measure`": "",
    "`--column`": "`--measured-column`",
    "`--unit`": "`--measured-unit`",
    "`--arrival-unit ": "`--measured-arrival-unit ",
    "`--unit ns`": "`--measured-unit ns`",
}


@dataclass(frozen=True, eq=False)
class MeasuredLatencies:
    """Measured latencies of requests, the times of their arrivals if known, and warnings.

    log: the demand log of a scheduler, with the times of requests, if they were read from one.
    bounds_ns: of the buckets of a scraped histogram, within which the latencies are unknown.
    """

    histogram: Histogram
    warnings: tuple[Finding, ...]
    arrivals_ns: Times | None = None
    log: RequestLog | None = None
    bounds_ns: tuple[tuple[float, float], ...] = ()


def read_latencies(
    path: str, options: InputOptions, slos: Sequence[Slo], arrivals: ArrivalColumn | None = None
) -> MeasuredLatencies:
    """Read the latencies at `path` (`-` is standard input), and its column of arrival times.

    Raises TailcError for a file that has demands, or latencies of a closed loop.
    """
    with open_source(path) as source:
        if is_request_log(source):
            _refuse_columns(source, options, arrivals)
            return _logged_latencies(request_log_in(source))
        _refuse_demands(source)
        try:
            ingested = ingest_source(source, options, StatedMeasure(Measure.RESPONSE_OPEN))
            times = None if arrivals is None else _times_of_arrivals(source, arrivals)
        except TailcError as error:
            raise TailcError([_readvised(finding) for finding in error.findings]) from None
    histogram = ingested.counted.histogram
    warnings = (*ingested.warnings, *_suspect_unit(histogram, slos[0], path))
    times_read = ingested.inputs[0].times
    scraped = None if times_read is None else times_read.scraped
    bounds_ns = () if scraped is None else scraped.bounds_ns
    return MeasuredLatencies(histogram, warnings, times, bounds_ns=bounds_ns)


def _refuse_columns(source: Source, options: InputOptions, arrivals: ArrivalColumn | None) -> None:
    """Raise TailcError for options that name columns or units, which a request log states."""
    if (options.table, options.unit, arrivals) != (None, None, None):
        message = f"`{source.name}` is the demand log of a scheduler, whose columns are known"
        advice = "remove `--measured-column`, `--measured-unit` and `--measured-arrivals`"
        raise source.fault(Code.USAGE, message, advice=advice)


def _logged_latencies(log: RequestLog) -> MeasuredLatencies:
    """The latencies of a request log; a sample of the requests, or too few, have no arrivals."""
    histogram = histogram_of(log.latency_us * NS_PER_US)
    times_ns = log.arrival_us * NS_PER_US
    has_gaps = log.has_every_request and len(times_ns) >= FEWEST_ARRIVALS
    is_known = has_gaps and bool(window_lengths_us(times_ns))
    return MeasuredLatencies(histogram, (), times_ns if is_known else None, log)


def _refuse_demands(source: Source) -> None:
    """Raise TailcError for a demand log, or spans, whose own times have no waiting."""
    if is_demand_log(source):
        message = f"`{source.name}` is a runtime's log of demands, which are not latencies"
        advice = (
            "give latencies, which the load generator or the server measured, or a log with the "
            "times of requests; `--trace` accepts this log"
        )
        raise source.fault(Code.OTHER_PROFILE, message, advice=advice)
    format_ = format_written(source)
    if format_ is not None and format_.has_spans:
        message = f"`{source.name}` is {format_.name}, whose own times are not latencies"
        advice = (
            "write the duration of each root span to a table, and give its column with "
            "`--measured-column`"
        )
        raise source.fault(Code.OTHER_PROFILE, message, advice=advice)


def _times_of_arrivals(source: Source, arrivals: ArrivalColumn) -> Times:
    """The times of a column, with enough of them for an index of dispersion."""
    times_ns = times_in(source, arrivals).times_ns
    if not window_lengths_us(times_ns):
        message = f"`{source.name}` has too few arrivals to measure how they are dispersed"
        advice = "measure several hundred requests, or remove `--measured-arrivals`"
        raise source.fault(Code.FEW_ARRIVALS, message, field=arrivals.name, advice=advice)
    return times_ns


def _readvised(finding: Finding) -> Finding:
    """The finding with advice that names options of `tailc verify`."""
    advice = next((text for code, text in _ADVICE.items() if code is finding.code), finding.help)
    for theirs, ours in _OPTIONS.items():
        advice = advice and advice.replace(theirs, ours)
    return replace(finding, help=advice)


def _suspect_unit(histogram: Histogram, slo: Slo, path: str) -> tuple[Finding, ...]:
    """Warn if the latency at the SLO's percentile and the SLO differ by more than a unit does."""
    measured_us = nearest_us(histogram.quantile_ns(slo.percentile_ppm))
    if LEAST_LATENCIES <= measured_us / slo.latency_us <= MOST_LATENCIES:
        return ()
    message = (
        f"the latency at the SLO's percentile is {format_us(measured_us)}, but the SLO is "
        f"{format_us(slo.latency_us)}"
    )
    hint = "check the unit of the measured latencies, `--measured-unit`"
    return (Finding(Code.UNIT_SUSPECT, message, Place(path), hint, Severity.WARNING),)
