"""Reports of `ingest`: how the inputs were read, and the resulting profile."""

from __future__ import annotations

from typing import Any

from tailc.ingest.ingest import CountedInput, IngestResult
from tailc.report.json_data import json_data
from tailc.report.table import align_columns
from tailc.traces.counted_times import CountedTimes
from tailc.units import format_percentile, printable

SHOWN_PPM = (500_000, 900_000, 950_000, 990_000, 999_000)
_NS_PER_MS = 1e6


def ingested_text(ingested: IngestResult, path: str) -> str:
    """Format what `tailc ingest` read: each input, then the profile and its percentiles."""
    lines = "\n".join(
        f"{printable(input_.name)}: {_input_line(input_)}" for input_ in ingested.inputs
    )
    return f"{lines}\n\n{printable(path)}: {profile_text(ingested.counted)}"


def profile_text(counted: CountedTimes) -> str:
    """Format a profile: what it measures, the number of requests, and some percentiles."""
    histogram = counted.histogram
    percentiles = [format_percentile(ppm) for ppm in SHOWN_PPM]
    times = [histogram.quantile_ns(ppm) for ppm in SHOWN_PPM]
    rows = [
        ("", "least", *percentiles, "largest"),
        ("ms", *(_ms(ns) for ns in (histogram.min_ns, *times, histogram.max_ns))),
    ]
    requests = f"{_requests(histogram.requests)}, {counted.measure.value}"
    return f"{requests}\n{align_columns(rows, range(1, len(rows[0])))}\n"


def ingested_result(ingested: IngestResult) -> dict[str, Any]:
    """Convert the inputs and the profile to JSON data; times are whole nanoseconds."""
    histogram = ingested.counted.histogram
    return {
        "inputs": [_input_result(input_) for input_ in ingested.inputs],
        "measure": ingested.counted.measure.value,
        "requests": histogram.requests,
        "least_ns": histogram.min_ns,
        "largest_ns": histogram.max_ns,
        "percentiles": [
            {"percentile_ppm": ppm, "time_ns": histogram.quantile_ns(ppm)} for ppm in SHOWN_PPM
        ],
    }


def _input_line(input_: CountedInput) -> str:
    counted, times = input_.counted, input_.times
    if times is None:
        origins = "; ".join(printable(origin.sentence) for origin in counted.origins)
        return f"a profile of {_requests(counted.histogram.requests)}: {origins}"
    loop = "" if times.loop is None else f", {times.loop.value}"
    words = f"{times.format}{loop}\n  `{printable(times.selected)}` in {times.unit.value}"
    words += f", {_requests(times.requests)}, used as {counted.measure.value}"
    if times.scraped is not None:
        count = times.scraped.label_sets
        sets = f"{count:,} label set{'' if count == 1 else 's'}"
        words += f"\n  {times.grain.value}, of {sets}"
    (origin,) = counted.origins
    if origin.estimator is not None:
        words += f"\n  {origin.estimator}: {_requests(origin.estimated)} added that "
        words += f"{'was' if origin.estimated == 1 else 'were'} not sent"
    return words


def _input_result(input_: CountedInput) -> dict[str, Any]:
    return {
        "name": input_.name,
        "is_profile": input_.times is None,
        "origins": [json_data(origin) for origin in input_.counted.origins],
    }


def _requests(count: int) -> str:
    return f"{count:,} request{'' if count == 1 else 's'}"


def _ms(ns: int) -> str:
    return f"{ns / _NS_PER_MS:.4g}"
