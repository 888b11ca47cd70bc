"""Latencies from buckets: the limits of a percentile are bounds of buckets."""

from __future__ import annotations

import pytest

from tailc.ingest.options import InputOptions
from tailc.specs.slo import Slo
from tailc.studies.measured_latencies import read_latencies
from tailc.verify.measured.judge import measured_tail

SCRAPE = """\
# TYPE latency_seconds histogram
latency_seconds_bucket{le="0.1"} 50000
latency_seconds_bucket{le="0.25"} 99900
latency_seconds_bucket{le="0.5"} 100000
latency_seconds_bucket{le="+Inf"} 100000
latency_seconds_count 100000
"""


@pytest.fixture
def latencies(tmp_path):
    path = tmp_path / "scrape.txt"
    path.write_text(SCRAPE)
    return read_latencies(str(path), InputOptions(), [Slo(990_000, 200_000)])


def test_limits_are_the_bounds_of_the_bucket(latencies):
    tail = measured_tail(latencies.histogram, 990_000, latencies.bounds_ns)
    assert (tail.low_us, tail.high_us) == (100_000, 250_000)
    # 0.1 s + 0.15 s x 49,000 / 49,900 by interpolation, as Prometheus prints it.
    assert tail.estimate_us == pytest.approx(247_295, rel=1e-3)


def test_without_buckets_the_limits_are_those_of_the_sample(latencies):
    tail = measured_tail(latencies.histogram, 990_000)
    assert 247_000 < tail.low_us < tail.estimate_us < tail.high_us < 249_000


def test_a_percentile_at_the_edge_has_both_buckets(latencies):
    tail = measured_tail(latencies.histogram, 999_000, latencies.bounds_ns)
    assert (tail.low_us, tail.high_us) == (100_000, 500_000)
