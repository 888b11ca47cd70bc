"""SLOs of OpenSLO documents: percentiles, limits, windows and what is left out."""

import pytest

from tailc.errors import Code, TailcError
from tailc.specs.openslo.read import ImportedObjective
from tests.tailc.specs.openslo.documents import BUCKETS, THRESHOLD, line_of, said, source_of


def test_a_threshold_becomes_a_percentile_and_a_latency(read):
    found = read(THRESHOLD)
    assert found.objectives == (
        ImportedObjective("99%", "500ms", None, "`checkout-latency`, line 18"),
    )
    assert found.warnings == ()


def test_a_ratio_of_a_bucket_over_time_slices_becomes_a_percentile_with_a_window(read):
    found = read(BUCKETS)
    assert found.objectives == (
        ImportedObjective("95%", "250ms", "60s", "`search-latency`, line 27"),
    )
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
    with pytest.raises(TailcError, match=r"`0.5`, but the names of the metric") as caught:
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
            "metric. The objective becomes the percentile 95% of all requests",
        )
    ]


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
    assert "has no objective of latency" in refused.message
    assert f"summarises many requests with `{word}`" in left_out.message
    assert line_of(left_out) == 11


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
    assert (line, text.split("` ")[1]) == (11, "also counts only requests below a latency, not all")


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
    assert (
        "does not count the requests below a latency, so this objective is left out"
        in caught.value.findings[1].message
    )


@pytest.mark.parametrize(
    "source", ["{metric: Latency, period_seconds: 60}", "{metric: Latency, region: us-east-1}"]
)
def test_only_a_name_in_what_is_measured_tells_the_unit(read, source):
    with pytest.raises(TailcError, match="`, but the names of the metric do not contain its unit"):
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
    (left_out,) = [
        text
        for _, text in said(found)
        if ("does not count the requests below a latency, so this objective is left out") in text
    ]
    assert left_out.startswith("`spec.ratioMetric.good` does not count the requests")


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
        ((("kind: SLO", "kind: Service"),), 2, "is not `SLO` in any document of this file"),
        ((("budgetingMethod: Occurrences", "budgetingMethod: Sometimes"),), 16, "`Sometimes`"),
        ((("op: lte", "op: below"),), 18, "`spec.objectives[0].op` is `below`"),
        ((("value: 0.5", "value: soon"),), 19, "must be a number, not `soon`"),
        ((("value: 0.5", "value: 0"),), 19, "must be more than zero"),
        ((("value: 0.5", "value: 0.0000005"),), 19, "cannot be imported"),
        ((("target: 0.99", "target: 99"),), 20, "must be a share between 0 and 1, not `99`"),
        (
            (("target: 0.99", "target: 0.99\n      targetPercent: 99"),),
            21,
            ("and `target` both define the share"),
        ),
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


@pytest.mark.parametrize(
    ("document", "change", "advice"),
    [
        (THRESHOLD, ("target: 0.99", "target: 99"), "write `target: 0.99`, or `targetPercent: 99`"),
        (
            THRESHOLD,
            ("target: 0.99", "target: 99.5"),
            "write `target: 0.995`, or `targetPercent: 99.5`",
        ),
        (
            BUCKETS,
            ("timeSliceTarget: 0.95", "timeSliceTarget: 90"),
            "write `timeSliceTarget: 0.9`",
        ),
        (THRESHOLD, ("target: 0.99", "target: 100"), "between 0 % and 100 %"),
        (THRESHOLD, ("target: 0.99", "target: -0.5"), "between 0 % and 100 %"),
    ],
)
def test_a_share_written_in_per_cent_comes_with_the_share(read, document, change, advice):
    with pytest.raises(TailcError) as caught:
        read(document, change)
    (finding,) = caught.value.findings
    assert advice in (finding.help or "")


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        (
            'version: "prometheus/v1"\nservice: web\nslos: [{name: latency, objective: 95}]\n',
            "Sloth",
        ),
        ("apiVersion: sloth.slok.dev/v1\nkind: PrometheusServiceLevel\n", "Sloth"),
        ("apiVersion: pyrra.dev/v1alpha1\nkind: ServiceLevelObjective\n", "Pyrra"),
        ("apiVersion: n9/v1alpha\nkind: Project\n", "Nobl9"),
        ("apiVersion: sre.google.com/v2\nkind: ServiceLevelObjective\n", "slo-generator"),
    ],
)
def test_slos_of_other_tools_are_called_so(read, text, tool):
    with pytest.raises(TailcError) as caught:
        read(text)
    (finding,) = caught.value.findings
    assert finding.message.endswith(f": it is for {tool}")
    assert "--slo 'p99 <= 300ms'" in (finding.help or "")


def test_more_is_better_is_no_latency(read):
    with pytest.raises(TailcError) as caught:
        read(THRESHOLD, ("op: lte", "op: gte"))
    told = [finding.message for finding in caught.value.findings]
    assert "has no objective of latency" in told[0]
    assert "is `gte`, so a larger value is better," in told[1]


def test_an_sli_that_is_not_in_the_file_is_named(read):
    with pytest.raises(TailcError, match="is `faster`, but no SLI of this file has that name"):
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
