"""OpenSLO documents of our own, by the keys that the specification of version 1 names."""

import pytest

from tailc.errors import Code, TailcError
from tailc.specs.openslo.read import Objective, read_openslo
from tests.tailc.texts import swapped

THRESHOLD = """\
apiVersion: openslo/v1
kind: SLO
metadata:
  name: checkout-latency
spec:
  service: checkout
  indicator:
    metadata:
      name: checkout-time
    spec:
      thresholdMetric:
        metricSource:
          type: Prometheus
          spec:
            query: checkout_duration_seconds
  budgetingMethod: Occurrences
  objectives:
    - op: lte
      value: 0.5
      target: 0.99
"""
BUCKETS = """\
apiVersion: openslo/v1
kind: SLI
metadata: {name: fast-answers}
spec:
  ratioMetric:
    counter: true
    good:
      metricSource:
        type: Prometheus
        spec: {query: 'sum(rate(answer_seconds_bucket{job="search", le="0.25"}[5m]))'}
    total:
      metricSource:
        type: Prometheus
        spec: {query: 'sum(rate(answer_seconds_count{job="search"}[5m]))'}
---
apiVersion: openslo/v1
kind: SLO
metadata: {name: search-latency}
spec:
  service: search
  indicatorRef: fast-answers
  timeWindow:
    - duration: 1M
      calendar: {startTime: 2026-01-01 00:00:00, timeZone: Europe/Oslo}
  budgetingMethod: Timeslices
  objectives:
    - targetPercent: 99.5
      timeSliceTarget: 0.95
      timeSliceWindow: 1m
"""


@pytest.fixture
def read(tmp_path):
    """What is read of a text, each (old, new) replaced."""

    def of(text, *changes, unit=None):
        path = tmp_path / "slo.yaml"
        path.write_text(swapped(text, *changes))
        return read_openslo(str(path), unit)

    return of


def source_of(text):
    """The change that makes this the source of the threshold's metric."""
    return "spec:\n            query: checkout_duration_seconds", f"spec: {text}"


def line_of(finding):
    return finding.place.line


def said(found):
    """Each warning's line and message."""
    return [(line_of(one), one.message) for one in found.warnings]


def test_a_threshold_becomes_a_percentile_and_a_latency(read):
    found = read(THRESHOLD)
    assert found.objectives == (Objective("99%", "500ms", None, "`checkout-latency`, line 18"),)
    assert found.warnings == ()


def test_a_ratio_of_a_bucket_over_time_slices_becomes_a_percentile_with_a_window(read):
    found = read(BUCKETS)
    assert found.objectives == (Objective("95%", "250ms", "60s", "`search-latency`, line 27"),)
    assert said(found) == [
        (27, "`spec.objectives[0].targetPercent` of 99.5% of the time slices is not imported"),
        (22, "`spec.timeWindow` of 1M by the calendar is not imported"),
    ]
    assert {one.code for one in found.warnings} == {Code.NOT_CARRIED}


@pytest.mark.parametrize(
    ("query", "value", "latency"),
    [
        ("checkout_duration_milliseconds", "250", "250ms"),
        ("latency_ms", "0.5", "500us"),
        ("SELECT wait_us FROM times", "1500", "1.5ms"),
        ("checkout_duration_seconds", "5e-2", "50ms"),
    ],
)
def test_the_unit_is_that_of_the_metric_s_name(read, query, value, latency):
    changes = ("checkout_duration_seconds", query), ("value: 0.5", f"value: {value}")
    (objective,) = read(THRESHOLD, *changes).objectives
    assert objective.latency == latency


def test_a_metric_that_names_no_unit_asks_for_one(read):
    change = ("checkout_duration_seconds", "checkout_time")
    with pytest.raises(TailcError, match=r"`0.5` of a unit that .* do not say") as caught:
        read(THRESHOLD, change)
    (finding,) = caught.value.findings
    assert (finding.code, line_of(finding)) == (Code.MISSING_UNIT, 19)
    assert "--openslo-unit" in str(finding.help)
    assert read(THRESHOLD, change, unit="s").objectives[0].latency == "500ms"


def test_a_metric_that_is_a_percentile_is_that_percentile_of_all_requests(read):
    query = "histogram_quantile(0.95, sum by (le) (rate(checkout_duration_seconds_bucket[5m])))"
    found = read(THRESHOLD, ("checkout_duration_seconds", f"'{query}'"))
    assert (found.objectives[0].percentile, found.objectives[0].latency) == ("95%", "500ms")
    assert said(found) == [
        (
            20,
            "`spec.objectives[0].target` of 99% is not imported: it counts measurements of the "
            "metric, and the objective becomes the percentile 95% of all requests",
        )
    ]


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
    assert "is `gte`: more is better" in caught.value.findings[1].message


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
    with pytest.raises(TailcError, match=r"`300` of a unit that .* do not say"):
        read(THRESHOLD, *changes)
    assert read(THRESHOLD, *changes, unit="ms").objectives[0].latency == "300ms"


@pytest.mark.parametrize(
    "query",
    [
        "quantile_over_time(0.95, took_seconds[5m])",
        "histogram_quantile(.95, sum by (le) (rate(took_seconds_bucket[5m])))",
        'took_seconds{quantile="0.95"}',
        "SELECT percentile(took_seconds, 95) FROM Transaction",
        "SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY took_seconds) FROM r",
        "SELECT approx_percentile(took_seconds, 0.95) FROM r",
        "p95:took.seconds{service:web}",
        "max:took_seconds.95percentile{service:web}",
        "took_seconds_p95",
        "p95.0(took_seconds)",
    ],
)
def test_a_percentile_is_known_in_the_words_of_many_sources(read, query):
    found = read(THRESHOLD, ("query: checkout_duration_seconds", f"query: '{query}'"))
    assert (found.objectives[0].percentile, found.objectives[0].latency) == ("95%", "500ms")
    assert "is not imported" in said(found)[0][1]


def test_a_percentile_of_three_digits_has_a_point_after_two(read):
    change = source_of("{metric: took_seconds, stat: p999}")
    assert read(THRESHOLD, change).objectives[0].percentile == "99.9%"


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("rate(took_seconds_sum[5m]) / rate(took_seconds_count[5m])", "_sum"),
        ("avg:took_seconds{service:web}", "avg"),
        ("avg by (job) (took_seconds)", "avg"),
        ("max_over_time(took_seconds[5m])", "max"),
        ("histogram_quantile(1, rate(took_seconds_bucket[5m]))", "quantile"),
        ("SELECT percentile(took_seconds, 95, 99) FROM Transaction", "percentile"),
        ("rate(took_seconds[5m])", "rate"),
        ("SELECT count(took_seconds) FROM Transaction", "count"),
    ],
)
def test_a_metric_of_many_requests_together_is_no_objective_of_each(read, query, word):
    with pytest.raises(TailcError) as caught:
        read(THRESHOLD, ("query: checkout_duration_seconds", f"query: '{query}'"))
    refused, left_out = caught.value.findings
    assert "holds no objective of latency" in refused.message
    assert f"tells by `{word}` of many requests together" in left_out.message
    assert line_of(left_out) == 11


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
    assert "calculates with what it measures" in left_out.message
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
        "`spec.indicator.spec.thresholdMetric` is no latency by the names in it, so this SLO is "
        "left out"
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
    assert "counts no requests below one latency" in caught.value.findings[1].message


@pytest.mark.parametrize(
    "total",
    [
        'sum(rate(answer_seconds_bucket{job="search", le="0.25"}[5m]))',
        'sum(rate(answer_seconds_bucket{job="search", le="10"}[5m]))',
        "SELECT count(*) FROM r WHERE took_ms < 250",
    ],
)
def test_a_total_of_requests_below_a_latency_is_warned_of(read, total):
    found = read(BUCKETS, ('sum(rate(answer_seconds_count{job="search"}[5m]))', total))
    assert found.objectives[0].latency == "250ms"
    (line, text) = said(found)[0]
    assert (line, text.split("` ")[1]) == (11, "counts requests below one latency too, and not all")


def test_a_total_of_the_last_bucket_is_all_requests(read):
    all_ = 'sum(rate(answer_seconds_bucket{le="+Inf"}[5m]))'
    found = read(BUCKETS, ('sum(rate(answer_seconds_count{job="search"}[5m]))', all_))
    assert len(found.warnings) == 2


@pytest.mark.parametrize(
    ("query", "latency"),
    [
        ("SELECT count(*) FROM r WHERE took_ms < 250 AND status < 500", "250ms"),
        ("SELECT count(*) FROM r WHERE durationMs <= 250", "250ms"),
        ("SELECT count(*) FROM r WHERE avail < 250ms", "250ms"),
        ('rate(took_seconds_bucket{le="0.25"}[5m]) and up < 1', "250ms"),
    ],
)
def test_of_what_is_compared_with_a_number_only_a_time_is_a_latency(read, query, latency):
    bucket = 'sum(rate(answer_seconds_bucket{job="search", le="0.25"}[5m]))'
    assert read(BUCKETS, (bucket, query)).objectives[0].latency == latency


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(took_seconds) FROM r WHERE httpResponseCode < 500",
        "sum:took_ms.count WHERE status_code < 500",
        'took_seconds_bucket{le!="0.25"}',
        'took_seconds_bucket{le="1e999999"}',
    ],
)
def test_a_status_below_a_number_is_no_latency(read, query):
    bucket = 'sum(rate(answer_seconds_bucket{job="search", le="0.25"}[5m]))'
    with pytest.raises(TailcError) as caught:
        read(BUCKETS, (bucket, query))
    assert "counts no requests below one latency" in caught.value.findings[1].message


@pytest.mark.parametrize(
    "source", ["{metric: Latency, period_seconds: 60}", "{metric: Latency, region: us-east-1}"]
)
def test_only_a_name_in_what_is_measured_tells_the_unit(read, source):
    with pytest.raises(TailcError, match="of a unit that the metric names do not say"):
        read(THRESHOLD, source_of(source))


def test_a_ratio_that_was_taken_before_counts_good_requests(read):
    good = "    good:\n      metricSource"
    found = read(BUCKETS, (good, "    rawType: success\n    raw:\n      metricSource"))
    assert found.objectives[0].latency == "250ms"
    with pytest.raises(TailcError, match="no objective of latency"):
        read(BUCKETS, (good, "    rawType: failure\n    raw:\n      metricSource"))


def test_an_empty_document_at_the_end_is_none(read):
    assert read(f"{THRESHOLD}---\n").objectives == read(THRESHOLD).objectives


def test_an_objective_of_something_else_is_left_out_where_another_is_of_latency(read):
    errors = BUCKETS.split("---\n")[1].replace("indicatorRef: fast-answers", "indicatorRef: ok")
    errors = errors.replace("search-latency", "availability")
    ok = (
        BUCKETS.split("---\n", maxsplit=1)[0]
        .replace("fast-answers", "ok")
        .replace(', le="0.25"', "")
    )
    found = read("---\n".join([BUCKETS, ok, errors]))
    assert [one.origin for one in found.objectives] == ["`search-latency`, line 27"]
    (left_out,) = [text for _, text in said(found) if "below one latency" in text]
    assert left_out.startswith("`spec.ratioMetric.good` counts no requests")


def test_objectives_that_say_the_same_are_carried_once(read):
    other = THRESHOLD.replace("checkout-latency", "again").replace("0.99", "0.990")
    (objective,) = read(f"{THRESHOLD}---\n{other}").objectives
    assert objective.origin == "`checkout-latency`, line 18"


def test_a_composite_has_an_indicator_for_each_objective(read):
    of_slo = "  indicatorRef: fast-answers\n"
    own = "    - indicatorRef: fast-answers\n      compositeWeight: 2\n      targetPercent: 99.5"
    found = read(BUCKETS, (of_slo, ""), ("    - targetPercent: 99.5", own))
    assert found.objectives[0].latency == "250ms"
    assert "`spec.objectives[0].compositeWeight` is not imported" in [
        text for _, text in said(found)
    ]


@pytest.mark.parametrize(
    ("changes", "line", "words"),
    [
        ((("openslo/v1", "openslo/v1alpha"),), 1, "is `openslo/v1alpha`"),
        ((("kind: SLO", "kind: Service"),), 2, "no SLO in this file"),
        ((("budgetingMethod: Occurrences", "budgetingMethod: Sometimes"),), 16, "`Sometimes`"),
        ((("op: lte", "op: below"),), 18, "`spec.objectives[0].op` is `below`"),
        ((("value: 0.5", "value: soon"),), 19, "must be a number, not `soon`"),
        ((("value: 0.5", "value: 0"),), 19, "must be more than zero"),
        ((("value: 0.5", "value: 0.0000005"),), 19, "cannot be imported"),
        ((("target: 0.99", "target: 99"),), 20, "must be a share between 0 and 1, not `99`"),
        ((("target: 0.99", "target: 0.99\n      targetPercent: 99"),), 21, "both say a share"),
        ((("target: 0.99", "targetPercent: 0.99"),), 20, "is less than one per cent, `0.99`"),
        ((("value: 0.5", "value: 1e999999"),), 19, "must be a number, not `1e999999`"),
        ((("      target: 0.99\n", ""),), 18, "`spec.objectives[0].target` is missing"),
        ((("  objectives:\n", "  objectives: 3\n  x:\n"),), 17, "must be a list"),
    ],
)
def test_what_openslo_does_not_allow_is_refused_where_it_stands(read, changes, line, words):
    with pytest.raises(TailcError) as caught:
        read(THRESHOLD, *changes)
    finding = caught.value.findings[0]
    assert words in finding.message
    assert line_of(finding) == line
    assert finding.help


def test_more_is_better_is_no_latency(read):
    with pytest.raises(TailcError) as caught:
        read(THRESHOLD, ("op: lte", "op: gte"))
    told = [finding.message for finding in caught.value.findings]
    assert "holds no objective of latency" in told[0]
    assert "is `gte`: more is better" in told[1]


def test_an_sli_that_is_not_in_the_file_is_named(read):
    with pytest.raises(TailcError, match="`faster`, and no SLI of this file has that name"):
        read(BUCKETS, ("indicatorRef: fast-answers", "indicatorRef: faster"))


@pytest.mark.parametrize(
    ("window", "carried"),
    [("5", "300s"), ("30s", "30s"), ("2h", "7200s"), ("1d", "86400s")],
)
def test_a_time_slice_is_a_window(read, window, carried):
    found = read(BUCKETS, ("timeSliceWindow: 1m", f"timeSliceWindow: {window}"))
    assert found.objectives[0].window == carried


@pytest.mark.parametrize("text", ["", "[1, 2]\n", "a: 1\n---\n3\n"])
def test_a_file_without_documents_is_refused(read, text):
    with pytest.raises(TailcError):
        read(text)
