"""The readers on traces that real systems produced; only where TAILC_DATA says they are."""

import os
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tailc.traces.reading import SplitBy, SplitRule, TimeUnit
from tailc.traces.speedup_check import falls
from tailc.traces.split import split_profile
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import reading

DATA = os.environ.get("TAILC_DATA")
pytestmark = pytest.mark.skipif(DATA is None, reason="TAILC_DATA is not set")


def measured(*parts: str) -> str:
    return str(Path(DATA or "", *parts))


def test_69_of_the_91_parsec_curves_fall_somewhere():
    curves: dict[tuple, list[tuple[int, float]]] = {}
    for row in pq.read_table(measured("speedup", "parsec_threads.parquet")).to_pylist():
        key = (row["platform"], row["benchmark"], row["version"], row["alternative"])
        curves.setdefault(key, []).append((row["degree"], row["speedup"]))
    shapes = [np.array(sorted(curve))[:, 1] for curve in curves.values()]
    assert (len(shapes), sum(bool(falls(shape)) for shape in shapes)) == (91, 69)


LUCENE_2019 = (7.48, 1.69, 34.3, 94.0, 150)


# Mean, median, 95th, 99th percentile and maximum [ms], as published beside the data.
@pytest.mark.parametrize(
    ("run", "command", "engine", "queries", "statistics"),
    [
        ("runs_2025-09-16", "TOP_10", "lucene-10.3.0", 903, (1.10, 0.48, 2.81, 7.54, 123)),
        ("runs_2025-09-16", "TOP_100_COUNT", "pisa-0.8.2", 602, (2.84, 0.52, 18.2, 36.8, 166)),
        (
            "runs_2019-09-26_50rep",
            "TOP_10_COUNT",
            "lucene-8.0.0",
            899,
            (7.48, 1.69, 34.3, 94.0, 150),
        ),
    ],
)
def test_search_latencies_have_the_published_statistics(run, command, engine, queries, statistics):
    rule = SplitRule(SplitBy.HASH, 200_000, "query_id")
    where = (("engine", engine), ("command", command))
    recipe = reading(demand="demand_ms", where=where, split=rule)
    trace = read_trace(measured("search-latency", f"{run}.parquet"), recipe)
    demand_ms = trace.profile.demand_ms
    found = (demand_ms.mean(), *np.quantile(demand_ms, [0.5, 0.95, 0.99, 1.0]))
    assert len(demand_ms) == queries
    # Published with two or three digits.
    assert found == pytest.approx(statistics, rel=0.01)
    design, held_out = split_profile(trace, rule)
    assert len(design.demand_ms) + len(held_out.demand_ms) == queries


def test_the_parts_of_a_trace_cut_by_time_follow_one_another():
    rule = SplitRule(SplitBy.TIME, 250_000, "TIMESTAMP")
    recipe = reading(demand="demand_ms", split=rule)
    trace = read_trace(measured("azure-llm-2023", "conv_compile.parquet"), recipe)
    design, held_out = split_profile(trace, rule)
    assert len(held_out.demand_ms) == 2433
    # The file is in order of time, so the parts are its beginning and its end.
    assert [*design.demand_ms, *held_out.demand_ms] == trace.profile.demand_ms.tolist()


def test_a_published_csv_of_dates_and_counts_is_read_as_it_is():
    rule = SplitRule(SplitBy.TIME, 200_000, "TIMESTAMP")
    recipe = reading(demand="GeneratedTokens", unit=TimeUnit.MS, split=rule)
    path = measured("azure-llm-2023", "AzureLLMInferenceTrace_code.part.csv")
    trace = read_trace(path, recipe)
    assert len(trace.profile.demand_ms) == 7491
    assert trace.split_key is not None
    assert (np.diff(trace.split_key) >= 0).all()
