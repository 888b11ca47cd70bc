"""Thresholds in queries: units, scales, bounds of histograms and fractions below them."""

import pytest

from tailc.errors import TailcError
from tests.tailc.specs.openslo.documents import BUCKETS, THRESHOLD, line_of, said


def at_least(query, value, target="0.95"):
    """A threshold that a metric must reach."""
    return (
        ("query: checkout_duration_seconds", f"query: '{query}'"),
        ("op: lte", "op: gte"),
        ("value: 0.5", f"value: {value}"),
        ("target: 0.99", f"target: {target}"),
    )


@pytest.mark.parametrize(
    ("query", "value", "percentile", "latency"),
    [
        ("histogram_fraction(0, 0.3, rate(took_seconds[5m]))", "0.99", "99%", "300ms"),
        ("histogram_fraction(-Inf, 40, rate(took_milliseconds[5m]))", "0.999", "99.9%", "40ms"),
        ("100 * histogram_fraction(0, 0.3, rate(took_seconds[5m]))", "99.5", "99.5%", "300ms"),
        ("(histogram_fraction(0.0, 2e-1, rate(took_seconds[5m]))) * 100", "95", "95%", "200ms"),
    ],
)
def test_a_fraction_that_must_be_reached_is_a_percentile(read, query, value, percentile, latency):
    found = read(THRESHOLD, *at_least(query, value))
    assert (found.objectives[0].percentile, found.objectives[0].latency) == (percentile, latency)
    ((line, message),) = said(found)
    assert line == 20
    assert message.startswith("`spec.objectives[0].target` of 95% is not imported")
    assert message.endswith(f"becomes the percentile {percentile} of all requests")


@pytest.mark.parametrize(
    "query",
    [
        "histogram_fraction(0.1, 0.3, rate(took_seconds[5m]))",
        "histogram_fraction(0.3, +Inf, rate(took_seconds[5m]))",
        "1 - histogram_fraction(0, 0.3, rate(took_seconds[5m]))",
        "avg(histogram_fraction(0, 0.3, rate(took_seconds[5m])))",
        "histogram_fraction(0, 1, rate(a_seconds[5m])) / histogram_fraction(0, 2, rate(b_s[5m]))",
        "took_seconds",
    ],
)
def test_what_else_must_be_reached_is_left_out(read, query):
    with pytest.raises(TailcError) as caught:
        read(THRESHOLD, *at_least(query, "0.99"))
    assert "is `gte`, so a larger value is better," in caught.value.findings[1].message


@pytest.mark.parametrize("value", ["1", "99", "0"])
def test_a_fraction_to_reach_is_a_share_between_0_and_1(read, value):
    query = "histogram_fraction(0, 0.3, rate(took_seconds[5m]))"
    with pytest.raises(TailcError) as caught:
        read(THRESHOLD, *at_least(query, value))
    (finding,) = caught.value.findings
    assert (line_of(finding), finding.place.column) == (19, 14)
    assert f"must be a share between 0 and 1, not `{value}`" in finding.message


def test_a_fraction_whose_metric_names_no_unit_asks_for_one(read):
    changes = at_least("histogram_fraction(0, 300, rate(took[5m]))", "0.99")
    with pytest.raises(TailcError, match=r"`300`, but the names of the metric"):
        read(THRESHOLD, *changes)
    assert read(THRESHOLD, *changes, unit="ms").objectives[0].latency == "300ms"


QUANTILE = "histogram_quantile(0.95, sum by (le) (rate(took_seconds_bucket[5m])))"


@pytest.mark.parametrize(
    ("query", "value", "latency"),
    [
        (f"{QUANTILE} * 1000", "300", "300ms"),
        (f"1e3*{QUANTILE}", "300", "300ms"),
        (f"(({QUANTILE}) * 1000) / 2", "300", "600ms"),
        (QUANTILE.replace("seconds", "milliseconds") + " / 1000", "0.5", "500ms"),
        (QUANTILE.replace("seconds", "milliseconds") + "/1e3  # in s", "0.5", "500ms"),
        ('took_seconds{quantile="0.95", path="/a * 2"} * 1e6', "250", "250us"),
        ("p95:took.seconds{path:/a/*} * 1000", "300", "300ms"),
    ],
)
def test_the_threshold_of_a_query_that_scales_is_converted(read, query, value, latency):
    changes = ("query: checkout_duration_seconds", f"query: |\n              {query}")
    found = read(THRESHOLD, changes, ("value: 0.5", f"value: {value}"))
    assert found.objectives[0].latency == latency


@pytest.mark.parametrize(
    "query",
    [
        f"{QUANTILE} * on () scale",
        f"{QUANTILE} / scale",
        f"1000 / {QUANTILE}",
        f"{QUANTILE} * 0",
        f"{QUANTILE} + 0.1",
        QUANTILE.replace("rate(", "1000 * rate("),
        "took_seconds/offset_scale",
        "took_seconds * 1000 % 60000",
        "SELECT percentile(took_seconds * 1000, 95) FROM Transaction",
    ],
)
def test_an_slo_whose_query_calculates_is_left_out(read, query):
    with pytest.raises(TailcError) as caught:
        read(THRESHOLD, ("query: checkout_duration_seconds", f"query: '{query}'"))
    left_out = caught.value.findings[1]
    assert "is computed from other metrics, so this SLO is left out" in left_out.message
    assert line_of(left_out) == 11


@pytest.mark.parametrize(
    "query",
    [
        "SELECT took_seconds FROM r WHERE time > now() - 5m",
        "SELECT * FROM took_seconds",
        "AWS/ELB took_seconds",
        'took_seconds{path="a / b"}',
        "aws.eu-west-1.took_seconds",
    ],
)
def test_what_is_no_arithmetic_scales_nothing(read, query):
    found = read(
        THRESHOLD, ("query: checkout_duration_seconds", f"query: |\n              {query}")
    )
    assert found.objectives[0].latency == "500ms"


@pytest.mark.parametrize(
    "query",
    [
        "node_memory_pressure_ratio",
        "quantile_over_time(0.95, node_memory_pressure_ratio[5m])",
        'queue_size{quantile="0.95", job="latency"}',
        "process_cpu_seconds",
        "checkout_seconds_total",
        "checkout_seconds_count",
        "bytes_per_second",
        "web",
    ],
)
def test_a_threshold_of_no_latency_is_left_out_whatever_the_unit(read, query):
    other = THRESHOLD.replace("checkout_duration_seconds", f"'{query}'")
    found = read(f"{THRESHOLD}---\n{other}", unit="ms")
    assert [one.origin for one in found.objectives] == ["`checkout-latency`, line 18"]
    assert [text for _, text in said(found)] == [
        "`spec.indicator.spec.thresholdMetric` has no name of a latency, so this SLO is left out"
    ]


@pytest.mark.parametrize(
    "query", ["checkout_latency", "disk_latency", "TargetResponseTime", "p99:trace.web.request"]
)
def test_a_latency_without_a_unit_has_that_of_the_option(read, query):
    found = read(THRESHOLD, ("checkout_duration_seconds", f"'{query}'"), unit="s")
    assert found.objectives[0].latency == "500ms"


@pytest.mark.parametrize(
    ("good", "latency"),
    [
        ('{le=~"0[.]250?"}', "250ms"),
        ('{le=~"0[.]25|0[.]250"}', "250ms"),
        ('{le=~"(0[.]25|0[.]250)"}', "250ms"),
        ('{le=~"^1([.]0)?$"}', "1s"),
        (r'{le=~"1(\\.0)?"}', "1s"),
        (r'{le=~"1\\.?"}', "1s"),
    ],
)
def test_a_pattern_of_one_bound_is_a_latency(read, good, latency):
    found = read(BUCKETS, ('{job="search", le="0.25"}', good))
    assert found.objectives[0].latency == latency


@pytest.mark.parametrize(
    ("query", "latency"),
    [
        ("histogram_fraction(0, 0.3, sum(rate(answer_seconds[5m])))", "300ms"),
        ("histogram_fraction( 0.0 , 2.5e-1, rate(answer_seconds[5m]))", "250ms"),
        ("histogram_fraction(-Inf, 40, rate(answer_milliseconds[5m]))", "40ms"),
    ],
)
def test_a_fraction_of_a_histogram_from_0_on_is_a_latency(read, query, latency):
    bucket = 'sum(rate(answer_seconds_bucket{job="search", le="0.25"}[5m]))'
    assert read(BUCKETS, (bucket, query)).objectives[0].latency == latency


@pytest.mark.parametrize(
    "query",
    [
        "histogram_fraction(0.1, 0.3, rate(answer_seconds[5m]))",
        "histogram_fraction(0, +Inf, rate(answer_seconds[5m]))",
        "histogram_fraction(0, $limit, rate(answer_seconds[5m]))",
        'answer_seconds_bucket{le=~"0[.]25|0[.]5"}',
        'answer_seconds_bucket{le=~"10?"}',
        'answer_seconds_bucket{le=~".*"}',
        'answer_seconds_bucket{le=~"0[.][25]"} or answer_seconds_bucket{le="0.25"}',
        f'answer_seconds_bucket{{le=~"{"1?" * 40}"}}',
        "1000 * took_seconds < 250",
        "took_seconds * 1000 < 250",
    ],
)
def test_bounds_that_are_several_or_unclear_are_no_latency(read, query):
    bucket = 'sum(rate(answer_seconds_bucket{job="search", le="0.25"}[5m]))'
    with pytest.raises(TailcError) as caught:
        read(BUCKETS, (bucket, query))
    assert (
        "does not count the requests below a latency, so this objective is left out"
        in caught.value.findings[1].message
    )
