"""Histograms of Prometheus: scrapes, and what its server answers; see samples/README.md."""

import json

import pytest

from tailc.errors import Code
from tailc.ingest.ingest import ingest
from tailc.ingest.input_times import Loop
from tailc.ingest.native import within_of
from tailc.ingest.options import InputOptions
from tailc.ingest.stated_measure import StatedMeasure
from tailc.traces.counted_times import Grain
from tailc.traces.profile import Measure
from tailc.traces.reading import TimeUnit
from tests.tailc.ingest.answers import answer, native
from tests.tailc.ingest.prometheus_case import OK, SAMPLES, SEARCH, assert_answers, taken
from tests.tailc.ingest.refusal import OPEN, options, refused

# Each as `histogram_quantile` of the server of Prometheus 3.16 answered at the time of the sample.
ANSWERS_S = {
    "prometheus.classic.json": {
        500_000: 0.003216230936819172,
        900_000: 0.010943902439024397,
        950_000: 0.01826463414634145,
        990_000: 0.024121219512195126,
        999_000: 0.04642500000000009,
    },
    "prometheus.native.json": {
        500_000: 0.003050064686916115,
        900_000: 0.010232086572228214,
        950_000: 0.013322047834320224,
        990_000: 0.02026061010321904,
        999_000: 0.031247292511120635,
    },
}


@pytest.mark.parametrize("name", ANSWERS_S)
def test_quantiles_of_a_label_set_are_those_that_the_server_answers(name):
    found = taken(name, labels=(SEARCH, OK))
    assert_answers(found.histogram, ANSWERS_S[name])
    assert found.scraped is not None
    assert found.scraped.label_sets == 1
    assert found.loop is Loop.UNSTATED


@pytest.mark.parametrize(
    ("name", "requests", "answers_s"),
    [
        # histogram_quantile(q, sum(search_duration_seconds{code="200"}))
        (
            "prometheus.native.json",
            3_057,
            {500_000: 0.0018041711856655682, 990_000: 0.018281308645334976},
        ),
        # histogram_quantile(q, parse_duration_seconds), whose half is in the bucket around 0
        (
            "prometheus.zero.json",
            3_118,
            {500_000: 0.00009175985874043556, 990_000: 0.0012967628981674546},
        ),
    ],
)
def test_label_sets_are_added_as_the_server_adds_them(name, requests, answers_s):
    found = taken(name)
    assert found.histogram.requests == requests
    assert found.grain is Grain.EXPONENTIAL
    assert_answers(found.histogram, answers_s)


def test_buckets_of_widths_of_their_own_are_linear_as_the_server_has_them():
    found = taken("prometheus.custom.json", labels=(("page", "/a"),))
    assert found.grain is Grain.LINEAR
    answers_s = {
        500_000: 0.0013730158730158731,
        900_000: 0.004327659574468085,
        990_000: 0.009545833333333333,
    }
    assert_answers(found.histogram, answers_s)


def test_the_text_formats_and_the_server_tell_the_same():
    names = ("custom.json", "txt", "openmetrics.txt")
    found = [taken(f"prometheus.{name}").histogram for name in names]
    for one in found[1:]:
        assert one.bucket.tolist() == found[0].bucket.tolist()
        assert one.count.tolist() == found[0].count.tolist()


def test_a_label_with_quotes_and_backslashes_is_chosen_by_what_it_says():
    found = taken("prometheus.txt", labels=(("page", 'say "b"\\'),))
    assert found.histogram.requests == 182
    assert found.selected == 'render_seconds{page="say \\"b\\"\\\\"}'


def test_of_two_scrapes_what_was_counted_in_between_is_taken():
    earlier = SAMPLES / "prometheus.earlier.txt"
    found = taken("prometheus.txt", since=str(earlier), labels=(("page", "/a"),))
    # 418 less 144; to 1 ms 162 less 48, to 2 ms 288 less 93.
    histogram = found.histogram
    assert histogram.requests == 274
    assert histogram.count[histogram.demand_ns <= 1_001_000].sum() == 162 - 48
    assert histogram.count[histogram.demand_ns <= 2_001_000].sum() == 288 - 93


@pytest.mark.parametrize("kind", ["classic", "native"])
def test_of_several_points_in_time_the_last_less_the_first_is_taken(kind):
    found = taken(f"prometheus.{kind}.range.json", labels=(SEARCH, OK))
    # As both kinds have it in `+Inf` or `count`: 902, 1,454 and 2,001 by the three points.
    assert found.histogram.requests == 2_001 - 902


def test_requests_that_failed_are_left_out_unless_they_are_asked_for():
    found = taken("prometheus.classic.json")
    assert (found.histogram.requests, found.left_out) == (3_057, 61)
    failed = taken("prometheus.classic.json", labels=(("code", "503"),))
    assert (failed.histogram.requests, failed.left_out) == (61, 0)


def both(folder, *series):
    """A scrape with 3 requests of each label set."""
    path = folder / "scrape"
    lines = (
        f'x_seconds_bucket{{{labels},le="{le}"}} 3\n' for labels in series for le in ("8", "+Inf")
    )
    path.write_text("# TYPE x_seconds histogram\n" + "".join(lines))
    return path


@pytest.mark.parametrize(
    ("name", "good", "failed"),
    [
        ("code", "200", "503"),
        ("code", "OK", "Unavailable"),
        ("status", "2xx", "5XX"),
        ("status", "success", "error"),
        ("statusCode", "301", "404"),
        ("response_code", "200", "503"),
        ("response_status", "200", "500"),
        ("http_response_status_code", "204", "500"),
        ("http_code", "200", "429"),
        ("envoy_response_code_class", "2", "5"),
        ("status_class", "2xx", "4xx"),
        ("grpc_code", "OK", "DeadlineExceeded"),
        ("grpc_status", "0", "14"),
        ("grpc_response_status", "", "13"),
        ("rpc_grpc_status_code", "0", "4"),
        ("outcome", "SUCCESS", "SERVER_ERROR"),
        ("outcome", "REDIRECTION", "CLIENT_ERROR"),
        ("result", "ok", "failure"),
        ("classification", "success", "failure"),
        ("error", "false", "true"),
        ("error_type", "", "timeout"),
        ("exception", "None", "IOException"),
        ("success", "true", "false"),
    ],
)
def test_a_label_of_any_usual_name_tells_that_requests_failed(tmp_path, name, good, failed):
    path = both(tmp_path, f'{name}="{good}"', f'{name}="{failed}"')
    found = taken(path)
    assert (found.histogram.requests, found.left_out) == (3, 3)
    if failed and good:
        assert taken(path, labels=((name, failed),)).histogram.requests == 3


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("country_code", "500"),
        ("exit_code", "404"),
        ("grpc_type", "unary"),
        ("handler", "error"),
        ("code", "4711"),
        ("http_status", "200"),
        ("grpc_code", ""),
        ("grpc_code", "1" * 5000),
        ("port", "503"),
    ],
)
def test_other_labels_tell_no_failure(tmp_path, name, value):
    found = taken(both(tmp_path, f'{name}="{value}"', 'job="x"'))
    assert (found.histogram.requests, found.left_out) == (6, 0)


def test_a_request_that_both_its_client_and_its_server_report_is_counted_once(tmp_path):
    path = both(tmp_path, 'reporter="source"', 'reporter="destination"')
    found = refused(path)
    assert found.code is Code.NO_METRIC
    assert "reporter=destination" in str(found.help)
    assert taken(path, labels=(("reporter", "destination"),)).histogram.requests == 3
    assert taken(both(tmp_path, 'reporter="source"')).histogram.requests == 3


def test_a_query_without_a_name_needs_a_unit():
    path = SAMPLES / "prometheus.sum.json"
    assert refused(path).code is Code.MISSING_UNIT
    assert taken("prometheus.sum.json", unit=TimeUnit.S).histogram.requests == 3_118
    other = refused(SAMPLES / "prometheus.txt", unit=TimeUnit.MS)
    assert other.code is Code.USAGE


@pytest.mark.parametrize(
    ("suffix", "ms"), [("seconds", 1e3), ("milliseconds", 1), ("microseconds", 1e-3)]
)
def test_the_unit_is_at_the_end_of_the_name(tmp_path, suffix, ms):
    path = tmp_path / "scrape"
    buckets = "".join(f'x_{suffix}_bucket{{le="{le}"}} 3\n' for le in ("8", "+Inf"))
    path.write_text(f"# TYPE x_{suffix} histogram\n{buckets}")
    assert taken(path).histogram.max_ns == 8e6 * ms


def test_names_of_other_characters_are_quoted(tmp_path):
    path = tmp_path / "scrape"
    path.write_text(
        '{"http.server_bucket", "http.route"="/a",le="0.5"} 3 1700000000000\n'
        '{"http.server_bucket","http.route"="/a",le="+Inf"} 3.0 # {trace_id="x"} 0.1\n'
    )
    found = taken(path, metric="http.server", unit=TimeUnit.S, labels=(("http.route", "/a"),))
    assert found.histogram.requests == 3


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (StatedMeasure(), Code.UNSTATED_MEASURE),
        (StatedMeasure(Measure.DEMAND_BUSY), Code.RESPONSE_TIME),
    ],
)
def test_a_histogram_is_not_a_demand_unless_it_is_said_why(said, code):
    assert refused(SAMPLES / "prometheus.txt", said).code is code


def test_a_wide_bucket_is_told_with_its_bounds_at_the_percentile_asked_for():
    path = str(SAMPLES / "prometheus.classic.json")
    (warning,) = (
        one
        for one in ingest([path], options(percentile_ppm=500_000), OPEN).warnings
        if one.code is Code.WIDE_BUCKET
    )
    assert "p50 of" in warning.message
    assert "from 1 to 2.5 ms, 60% wide" in warning.message
    native = ingest([str(SAMPLES / "prometheus.native.json")], InputOptions(), OPEN).warnings
    assert [one.code for one in native] == [Code.FAILED_REQUESTS]


def test_the_profile_records_how_requests_are_spread():
    native, classic = (
        ingest([str(SAMPLES / f"prometheus.{kind}.json")], InputOptions(), OPEN).counted.origins[0]
        for kind in ("native", "classic")
    )
    assert native.sentence == (
        "`search_duration_seconds` of Prometheus JSON, exponential in buckets"
    )
    assert (native.grain, classic.grain) == ("exponential in buckets", "linear in buckets")


@pytest.mark.parametrize(
    ("rows", "grain"),
    [
        # A label set may have nothing above 0, or only what could be of either kind.
        ([[(-1e-3, 1e-3)], [(0.25, 0.5), (0.5, 1)], []], Grain.EXPONENTIAL),
        ([[(0.5, 1)], [("-Inf", 0.3), (0.3, 0.5)]], Grain.LINEAR),
    ],
)
def test_label_sets_are_of_the_kind_that_all_of_them_show(tmp_path, rows, grain):
    result = [native(*((*row, 3) for row in one), a=str(at)) for at, one in enumerate(rows)]
    found = taken(answer(tmp_path, result))
    assert found.grain is grain
    assert found.histogram.requests == 3 * sum(map(len, rows))


@pytest.mark.parametrize(
    ("bounds", "grain"),
    [
        # Four parts of a doubling, of which some are empty, and the first begins where 0 ends.
        ([(-1e-3, 1e-3), (1e-3, 2**-9.75), (2**-9.25, 2**-9)], Grain.EXPONENTIAL),
        ([(1.0, 65536.0)], Grain.EXPONENTIAL),
        ([(0.001, 0.002), (0.002, 0.003)], Grain.LINEAR),
        ([(0.0, 0.005), (0.005, 0.01)], Grain.LINEAR),
    ],
)
def test_what_kind_a_native_histogram_is_is_seen_from_its_bounds(bounds, grain):
    assert within_of(bounds) is grain


@pytest.mark.parametrize(("total", "counted"), [(2, 2), (None, None)])
def test_the_number_of_all_requests_replaces_a_missing_last_bucket(tmp_path, total, counted):
    """Some versions of Micrometer write no bucket to +Inf."""
    lines = [
        "# TYPE t_seconds summary",
        't_seconds_bucket{le="9.0",} 1.0',
        't_seconds_bucket{le="12.0",} 2.0',
    ]
    path = tmp_path / "scrape.txt"
    path.write_text(
        "\n".join([*lines, *([] if total is None else [f"t_seconds_count {total}.0"]), ""])
    )
    if counted is None:
        assert "no bucket to `+Inf`" in refused(path).message
    else:
        assert ingest([str(path)], options(), OPEN).counted.histogram.requests == counted


@pytest.mark.parametrize(("total", "code"), [(1, Code.BROKEN_FORMAT), (3, Code.OPEN_BUCKET)])
def test_requests_beyond_the_buckets_are_refused_without_a_last_bucket(tmp_path, total, code):
    path = tmp_path / "scrape.txt"
    path.write_text(
        "# TYPE t_seconds histogram\n"
        f't_seconds_bucket{{le="12.0"}} 2.0\nt_seconds_count {total}.0\n'
    )
    assert refused(path).code is code


def test_buckets_with_numbers_are_named(tmp_path):
    point = {"count": "5", "sum": "1", "schema": 2, "buckets": [[-20, "5"]]}
    series = {"metric": {"__name__": "t_seconds"}, "histogram": [1, point]}
    document = {"status": "success", "data": {"resultType": "vector", "result": [series]}}
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(document))
    assert "`histogram_format=native`" in refused(path).message


def test_a_count_that_changed_while_the_server_answered_is_to_be_scraped_again(tmp_path):
    path = tmp_path / "scrape.txt"
    path.write_text(
        "# TYPE t_seconds histogram\n"
        't_seconds_bucket{le="30.0"} 102077.0\nt_seconds_bucket{le="+Inf"} 102076.0\n'
    )
    assert "scrape again" in (refused(path).help or "")
