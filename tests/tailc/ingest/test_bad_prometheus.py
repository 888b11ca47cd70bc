"""Scrapes and answers of Prometheus that are cut, wrong or ambiguous: each refused at its place."""

import contextlib
from pathlib import Path

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.ingest.ingest import ingest
from tailc.ingest.options import InputOptions
from tailc.traces.reading import TimeUnit
from tests.tailc.ingest.answers import answer, native
from tests.tailc.ingest.refusal import OPEN, options, refused

SAMPLES = Path(__file__).parent / "samples"
TYPE = "# TYPE x_seconds histogram\n"


def scrape(folder, text, name="scrape"):
    path = folder / name
    path.write_text(TYPE + text)
    return path


def buckets(*counts, labels="", bounds=("0.1", "0.5", "+Inf")):
    return "".join(
        f'x_seconds_bucket{{{labels}le="{bound}"}} {count}\n'
        for bound, count in zip(bounds, counts, strict=True)
    )


def classic(values, le="0.5"):
    """An element of a matrix."""
    return {
        "metric": {"__name__": "x_seconds_bucket", "le": le},
        "values": [[1700000000 + at, value] for at, value in enumerate(values)],
    }


@pytest.mark.parametrize(
    ("text", "code", "line", "words"),
    [
        (buckets(5, 3, 7), Code.BROKEN_FORMAT, 3, "3 requests up to `0.5`, but 5"),
        (buckets(3, 5, bounds=("0.1", "0.5")), Code.BROKEN_FORMAT, 3, "no bucket"),
        (buckets(3, 5, 5, bounds=("0.5", "0.50", "+Inf")), Code.BROKEN_FORMAT, 3, "two buckets"),
        (buckets(3, "NaN", 5), Code.OUT_OF_RANGE, 3, "`NaN` is not a number of requests"),
        (buckets(3, -4, 5), Code.OUT_OF_RANGE, 3, "`-4` is not a number of requests"),
        (buckets(3, 4.5, 5), Code.OUT_OF_RANGE, 3, "`4.5` is not a number of requests"),
        (buckets(3, "1e300", 5), Code.OUT_OF_RANGE, 3, "above 2^53"),
        (buckets(3, "many", 5), Code.OUT_OF_RANGE, 3, "`many` is not a number"),
        (buckets(3, 5, 5, bounds=("low", "0.5", "+Inf")), Code.BROKEN_FORMAT, 2, "`low` is no"),
        (buckets(3, 5, 5, bounds=("NaN", "0.5", "+Inf")), Code.BROKEN_FORMAT, 2, "`NaN` is no"),
        (buckets(3, 5, 5) + "x_seconds_count 6\n", Code.BROKEN_FORMAT, 5, "states 6"),
        (buckets(3, 5, 5, labels='a="1",a="2",'), Code.BROKEN_FORMAT, 2, "label `a` once"),
        (buckets(3, 5, 5, labels='a="1"b="2",'), Code.BROKEN_FORMAT, 2, "a label, as"),
        (buckets(3, 5, 5, labels='a="1\\",'), Code.BROKEN_FORMAT, 2, "is expected here"),
        ('x_seconds_bucket{le="0.5"}\n', Code.BROKEN_FORMAT, 2, "and a number"),
        ('x_seconds_bucket{le="0.5" 5\n', Code.BROKEN_FORMAT, 2, "a label, as"),
    ],
)
def test_a_line_that_cannot_be_is_refused_at_its_place(tmp_path, text, code, line, words):
    found = refused(scrape(tmp_path, text))
    assert found.code is code
    assert words in found.message
    assert found.place is not None
    assert found.place.line == line


def test_a_line_that_is_no_sample_is_refused_at_its_column(tmp_path):
    found = refused(scrape(tmp_path, 'x_seconds_bucket{le="0.5",page=/a} 5\n'))
    assert found.place is not None
    assert (found.place.line, found.place.column) == (2, 27)


def test_requests_above_all_finite_buckets_are_refused_with_how_many_there_are(tmp_path):
    found = refused(scrape(tmp_path, buckets(90, 97, 100)))
    assert found.code is Code.OPEN_BUCKET
    assert "3 of 100 requests of `x_seconds`" in found.message
    assert "longer than `0.5`" in found.message
    assert "native" in str(found.help)


def test_requests_beyond_the_last_bucket_before_the_earlier_scrape_do_not_matter(tmp_path):
    earlier = scrape(tmp_path, buckets(90, 97, 100), "earlier")
    later = scrape(tmp_path, buckets(95, 107, 110), "later")
    found = ingest([str(later)], options(since=str(earlier)), OPEN).counted.histogram
    assert found.requests == 10
    assert refused(earlier, since=str(later)).code is Code.COUNTER_RESET


def test_a_label_set_that_was_not_there_before_began_at_none(tmp_path):
    earlier = scrape(tmp_path, buckets(90, 97, 97, labels='page="/a",'), "earlier")
    both = buckets(92, 99, 99, labels='page="/a",') + buckets(1, 4, 4, labels='page="/b",')
    later = scrape(tmp_path, both, "later")
    found = ingest([str(later)], options(since=str(earlier)), OPEN).counted.histogram
    assert found.requests == 2 + 4


def test_classic_and_native_histograms_are_not_added(tmp_path):
    series = [classic(["0", "5"], le) for le in ("0.5", "+Inf")]
    path = answer(tmp_path, [native((0.5, 1, 3)), *series])
    assert refused(path).code is Code.MIXED_BUCKETS


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (buckets(95, 107, 110, labels='page="/b",'), Code.COUNTER_RESET),
        (buckets(95, 107, 110, bounds=("0.2", "0.5", "+Inf")), Code.MIXED_BUCKETS),
        (buckets(90, 97, 97), Code.EMPTY_TRACE),
        ("x_seconds 5\n", Code.EMPTY_TRACE),
    ],
)
def test_an_earlier_scrape_of_something_else_is_refused(tmp_path, text, code):
    earlier = scrape(tmp_path, buckets(90, 97, 97), "earlier")
    assert refused(scrape(tmp_path, text), since=str(earlier)).code is code


def test_an_earlier_scrape_is_in_the_same_format():
    found = refused(SAMPLES / "prometheus.txt", since=str(SAMPLES / "prometheus.custom.json"))
    assert found.code is Code.UNKNOWN_INPUT
    assert found.place is not None
    assert found.place.source.endswith("prometheus.custom.json")


def test_several_metrics_without_a_choice_are_listed(tmp_path):
    other = buckets(1, 2, 2).replace("x_seconds", "y_seconds")
    path = scrape(tmp_path, buckets(3, 5, 5) + other)
    found = refused(path)
    assert found.code is Code.NO_METRIC
    assert "`x_seconds`, `y_seconds`" in str(found.help)
    assert "`x_seconds`, `y_seconds`" in str(refused(path, metric="z").help)
    for metric, requests in (("x_seconds", 5), ("y_seconds_bucket", 2)):
        counted = ingest([str(path)], options(metric=metric), OPEN).counted
        assert counted.histogram.requests == requests


def test_a_label_that_is_not_there_is_refused_with_those_that_are(tmp_path):
    path = scrape(tmp_path, buckets(3, 5, 5, labels='page="/a",'))
    found = refused(path, labels=(("page", "/b"),))
    assert found.code is Code.NO_METRIC
    assert '`x_seconds{page="/b"}`' in found.message
    assert '`x_seconds{page="/a"}`' in str(found.help)


def test_histograms_with_other_buckets_are_not_added(tmp_path):
    other = buckets(1, 2, 2, labels='page="/b",', bounds=("0.2", "0.5", "+Inf"))
    path = scrape(tmp_path, buckets(3, 5, 5, labels='page="/a",') + other)
    assert refused(path).code is Code.MIXED_BUCKETS
    chosen = ingest([str(path)], options(labels=(("page", "/b"),)), OPEN).counted
    assert chosen.histogram.requests == 2


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (buckets(0, 0, 0), Code.EMPTY_TRACE),
        (buckets(2, 5, 5, bounds=("0", "0.5", "+Inf")), Code.OUT_OF_RANGE),
        (buckets(0, 5, 5, bounds=("0.1", "1e12", "+Inf")), Code.OUT_OF_RANGE),
        (buckets(3, 5, 5)[:-2], Code.TRUNCATED),
        (buckets(3, 5, 5, labels='code="500",'), Code.EMPTY_TRACE),
        ("go_goroutines 7\n", Code.EMPTY_TRACE),
    ],
)
def test_what_holds_no_times_is_refused(tmp_path, text, code):
    assert refused(scrape(tmp_path, text)).code is code


@pytest.mark.parametrize(
    ("option", "value"), [("metric", "x"), ("labels", (("a", "b"),)), ("since", "x")]
)
def test_options_of_scrapes_are_refused_of_other_inputs(option, value):
    assert refused(SAMPLES / "hey.csv", OPEN, **{option: value}).code is Code.USAGE


@pytest.mark.parametrize(
    ("result", "code", "words"),
    [
        ([native((0.5, 1, 3), count=4)], Code.BROKEN_FORMAT, "requests in buckets, but"),
        ([native((1, 0.5, 3))], Code.BROKEN_FORMAT, "element 1 is not a series"),
        ([native((0.5, 1, 2.5), count=2)], Code.OUT_OF_RANGE, "`2.5` is not a number"),
        ([native((0.5, "+Inf", 3))], Code.OPEN_BUCKET, "3 of 3 requests"),
        ([native((-1, -0.5, 3))], Code.OUT_OF_RANGE, "0 or less"),
        ([{"metric": {}}], Code.BROKEN_FORMAT, "element 1 is not a series"),
        (["x"], Code.BROKEN_FORMAT, "element 1 is not a series"),
        ([], Code.EMPTY_TRACE, "no histogram"),
        (
            [native((0.5, 1, 3)), native((0.5, 2, 3), a="b")],
            Code.MIXED_BUCKETS,
            "different buckets",
        ),
    ],
)
def test_an_answer_that_cannot_be_is_refused(tmp_path, result, code, words):
    found = refused(answer(tmp_path, result))
    assert found.code is code
    assert words in found.message


def test_a_counter_that_falls_within_a_range_is_refused(tmp_path):
    good = [classic(["1", "5", "9"]), classic(["1", "5", "9"], "+Inf")]
    assert ingest(
        [str(answer(tmp_path, good, "matrix"))], InputOptions(), OPEN
    ).counted.histogram.requests
    found = refused(answer(tmp_path, [classic(["7", "2", "9"])], "matrix"))
    assert found.code is Code.COUNTER_RESET
    assert "x_seconds_bucket" in found.message


def test_an_answer_that_is_an_error_is_refused_in_the_words_of_the_server(tmp_path):
    path = tmp_path / "answer.json"
    path.write_text('{"status":"error","errorType":"bad_data","error":"unclosed parenthesis"}')
    assert "unclosed parenthesis" in refused(path).message
    path.write_text('{"status":"success","data":{"resultType":"scalar","result":[1,"2"]}}')
    assert refused(path).code is Code.BROKEN_FORMAT


@pytest.mark.parametrize("name", ["prometheus.txt", "prometheus.native.json"])
def test_a_cut_file_is_refused(tmp_path, name):
    data = (SAMPLES / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(data[: len(data) * 2 // 3])
    assert refused(path).code is Code.TRUNCATED


@pytest.mark.parametrize(
    "name", ["prometheus.openmetrics.txt", "prometheus.zero.json", "prometheus.pb"]
)
def test_damage_is_a_profile_or_a_located_finding(tmp_path, name):
    rng = np.random.default_rng(7)
    intact = (SAMPLES / name).read_bytes()
    path = tmp_path / name
    refusals = 0
    for _ in range(60):
        data = bytearray(intact)
        for at in rng.integers(0, len(data), rng.integers(1, 4)):
            data[at] = rng.integers(0, 256)
        path.write_bytes(data)
        with contextlib.suppress(TailcError):
            metric = "load_duration_seconds" if name.endswith("pb") else None
            ingest([str(path)], options(unit=TimeUnit.S, metric=metric), OPEN)
            continue
        refusals += 1
    assert refusals > 6


@pytest.mark.parametrize("value", ["0.5", "NaN", "-1"])
def test_numbers_of_other_metrics_are_not_looked_at(tmp_path, value):
    path = scrape(tmp_path, f"free_count {value}\n" + buckets(3, 5, 5) + "x_seconds_count 5\n")
    assert ingest([str(path)], InputOptions(), OPEN).counted.histogram.requests == 5


def test_a_total_that_is_no_number_of_requests_is_refused(tmp_path):
    path = scrape(tmp_path, buckets(3, 5, 5) + "x_seconds_count NaN\n")
    found = refused(path)
    assert found.code is Code.OUT_OF_RANGE
    assert "`NaN` is not a number of requests" in found.message


def ranged(le, counts, first=0, **labels):
    """A bucket's counts, one a minute from the first on."""
    values = [[1700000000 + 60 * (first + at), str(count)] for at, count in enumerate(counts)]
    return {"metric": {"__name__": "x_seconds_bucket", "le": le, **labels}, "values": values}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        # The same bucket by another name from the third minute on.
        ([ranged("1", [12, 24]), ranged("1.0", [36, 48], 2)], "`1` from 1700000000 to 1700000060"),
        ([ranged("1", [20, 90])], "`1` from 1700000000 to 1700000060"),
        ([ranged("1", [30, 60, 90], 1)], "`1` from 1700000060 to 1700000180"),
    ],
)
def test_buckets_that_grew_between_other_times_are_refused(tmp_path, changed, words):
    whole = [ranged("0.5", [10, 20, 30, 40]), ranged("+Inf", [30, 60, 90, 120])]
    found = refused(answer(tmp_path, [*whole, *changed], "matrix"), OPEN)
    assert found.code is Code.BROKEN_FORMAT
    assert words in found.message
    assert "`0.5` from 1700000000 to 1700000180" in found.message


def test_histograms_of_servers_that_ran_at_other_times_are_added(tmp_path):
    rising = {"0.5": [10, 20, 30], "1": [10, 25, 40], "+Inf": [10, 25, 40]}
    series = [ranged(*each, at, pod=str(at)) for at in (0, 5) for each in rising.items()]
    path = answer(tmp_path, series, "matrix")
    assert ingest([str(path)], InputOptions(), OPEN).counted.histogram.requests == 60


QUANTILES = 'x_seconds{page="/a",quantile="0.99"} 0.057\nx_seconds_sum 9\nx_seconds_count 20\n'


def test_a_summary_is_said_to_have_only_quantiles(tmp_path):
    metric = {"__name__": "x_seconds", "quantile": "0.99"}
    paths = [
        scrape(tmp_path, QUANTILES),
        answer(tmp_path, [{"metric": metric, "value": [1700000000, "0.057"]}]),
    ]
    for path in paths:
        found = refused(path)
        assert (found.code, "only quantiles" in found.message) == (Code.EMPTY_TRACE, True)
        assert "instead of a summary" in found.help


def test_quantiles_next_to_a_histogram_do_not_matter(tmp_path):
    path = scrape(
        tmp_path, buckets(90, 97, 97) + "# TYPE y summary\n" + QUANTILES.replace("x", "y")
    )
    found = ingest([str(path)], InputOptions(), OPEN)
    assert found.counted.histogram.requests == 97
