"""Every format on files of the tools; see samples/README.md for what made them."""

import csv
import gzip
import json
from pathlib import Path

import pytest

from tailc.errors import Code, TailcError
from tailc.ingest.formats import find_formats
from tailc.ingest.ingest import ingest
from tailc.ingest.input_times import Loop
from tailc.ingest.options import InputOptions
from tailc.ingest.stated_measure import StatedMeasure
from tailc.traces.counted_times import Grain
from tailc.traces.profile import Measure
from tailc.traces.reading import TimeUnit
from tests.tailc.ingest.refusal import refused

SAMPLES = Path(__file__).parent / "samples"
RELATIVE_ERROR = 2**-11
OPEN = StatedMeasure(Measure.RESPONSE_OPEN)


def taken(name, unit=None, said=OPEN, tags=()):
    (found,) = ingest([str(SAMPLES / name)], InputOptions(unit=unit, tags=tags), said).inputs
    assert found.times is not None
    return found.times


def counts(times_ns):
    """How many there are, the sum, the least and the largest."""
    return len(times_ns), sum(times_ns), min(times_ns), max(times_ns)


def assert_counted(histogram, times_ns):
    number, total, least, largest = counts(times_ns)
    assert histogram.requests == number
    assert (histogram.min_ns, histogram.max_ns) == (least, largest)
    held = int((histogram.demand_ns * histogram.count).sum())
    assert abs(held - total) <= RELATIVE_ERROR * total


def test_vegeta_json_and_csv_are_the_same_latencies():
    lines = (SAMPLES / "vegeta.json").read_text().splitlines()
    results = [json.loads(line) for line in lines]
    good = [result["latency"] for result in results if result["code"] == 200]
    assert len(good) == len(results) - 1 == 59
    for name in ("vegeta.json", "vegeta.csv"):
        found = taken(name, said=StatedMeasure())
        assert_counted(found.histogram, good)
        assert (found.left_out, found.loop, found.grain) == (1, Loop.OPEN, Grain.REQUESTS)


def test_hey_rows_are_seconds_and_those_of_errors_are_left_out():
    said = StatedMeasure(Measure.DEMAND_BUSY, because="one client was alone on the machine")
    found = taken("hey.csv", said=said)
    with (SAMPLES / "hey.csv").open() as file:
        rows = list(csv.DictReader(file))
    good = [row for row in rows if row["status-code"] == "200"]
    assert_counted(found.histogram, [round(float(row["response-time"]) * 10**9) for row in good])
    assert (len(rows), found.left_out, found.loop) == (60, 1, Loop.CLOSED)


def test_the_spectrum_of_wrk2_is_its_percentiles_and_its_total():
    found = taken("wrk2.txt", said=StatedMeasure())
    assert found.histogram.requests == 500
    # As the file prints them: 50 % 6.28 ms, 90 % 12.80 ms, 99 % 21.90 ms, 100 % 28.51 ms.
    for ppm, printed_ms in ((500_000, 6.28), (900_000, 12.80), (990_000, 21.90)):
        got_ms = found.histogram.quantile_ns(ppm) / 1e6
        assert got_ms == pytest.approx(printed_ms, abs=0.005 + RELATIVE_ERROR * printed_ms)
    assert found.histogram.max_ns == 28_511_000
    assert (found.loop, found.grain, found.failed_among) == (Loop.OPEN, Grain.PERCENTILES, 5)


def test_errors_of_sockets_of_wrk2_are_left_out(tmp_path):
    path = tmp_path / "run.txt"
    errors = b"  Socket errors: connect 1, read 3, write 0, timeout 41\nRequests/sec"
    path.write_bytes((SAMPLES / "wrk2.txt").read_bytes().replace(b"Requests/sec", errors))
    found = ingest([str(path)], InputOptions(), StatedMeasure())
    assert (found.inputs[0].times.left_out, found.inputs[0].times.failed_among) == (45, 5)
    told = [each.message for each in found.warnings if each.code is Code.FAILED_REQUESTS]
    assert told == [
        f"`{path}` has 45 failed requests, left out",
        f"`{path}` has 5 failed requests, counted",
    ]


def test_percentiles_of_hdrhistogram_need_a_unit(tmp_path):
    text = (
        "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
        "       10.0 0.000000000000          1           1.00\n"
        "       20.0 0.500000000000          3           2.00\n"
        "       40.0 1.000000000000          4\n#[Mean = 20.0]\n"
    )
    path = tmp_path / "x.hgrm"
    path.write_text(text)
    found = ingest([str(path)], InputOptions(unit=TimeUnit.US), OPEN).counted.histogram
    assert (found.requests, found.min_ns, found.max_ns) == (4, 10_000, 40_000)
    assert found.quantile_ns(750_000) == pytest.approx(20_000, rel=RELATIVE_ERROR)
    with pytest.raises(TailcError) as caught:
        ingest([str(path)], InputOptions(), OPEN)
    assert caught.value.findings[0].code is Code.MISSING_UNIT


@pytest.mark.parametrize(
    ("name", "tags", "values", "requests", "total", "least", "largest"),
    [
        # What HdrHistogram 2.2.2 for Java reads, values at the middle of their equivalents.
        ("jHiccup-2.0.1.logV0.hlog", (), 34, 7354, 2513403904, 8192, 3039232),
        ("jHiccup-2.0.6.logV1.hlog", (), 32, 7289, 2581897216, 8192, 2793472),
        ("jHiccup-2.0.7S.logV2.hlog", (), 604, 8436, 1206662660096, 8192, 1547698176),
        # Every interval is there once without a tag and once with `A`.
        ("tagged-Log.logV2.hlog", ("", "A"), 29, 7464, 2242838528, 8192, 2760704),
        ("tagged-Log.logV2.hlog", ("A",), 29, 3732, 1121419264, 8192, 2760704),
        ("tagged-Log.logV2.hlog", ("",), 29, 3732, 1121419264, 8192, 2760704),
        ("ycsb.logV1.hlog", (), 2963, 4978, 220378909, 268, 511360),
    ],
)
def test_a_log_of_hdrhistogram_is_as_java_reads_it(
    name, tags, values, requests, total, least, largest
):
    found = taken(name, TimeUnit.NS, tags=tags)
    histogram = found.histogram
    assert (found.points, histogram.requests) == (values, requests)
    assert (histogram.min_ns, histogram.max_ns) == (least, largest)
    held = int((histogram.demand_ns * histogram.count).sum())
    assert abs(held - total) <= RELATIVE_ERROR * total


def test_a_log_of_hdrhistogram_may_begin_with_a_comment_of_any_kind(tmp_path):
    """Its writer puts a comment where it is asked to, also before all it writes itself."""
    path = tmp_path / "commented.hlog"
    path.write_text("#of a night\n" + (SAMPLES / "tagged-Log.logV2.hlog").read_text())
    of_log = taken("tagged-Log.logV2.hlog", TimeUnit.NS, tags=("A",)).histogram
    found = taken(path, TimeUnit.NS, tags=("A",)).histogram
    assert (found.bucket.tolist(), found.count.tolist()) == (
        of_log.bucket.tolist(),
        of_log.count.tolist(),
    )


def hdr_log(folder, *tags):
    """A log with the same interval for each tag."""
    lines = (SAMPLES / "tagged-Log.logV2.hlog").read_text().splitlines()
    sound = next(line for line in lines if line[0].isdigit())
    path = folder / "tags.hlog"
    path.write_text("\n".join(f"Tag={tag},{sound}" if tag else sound for tag in tags))
    return path


@pytest.mark.parametrize(
    ("tags", "listed"),
    [
        (("READ-rt", "READ-st", "READ-wt"), "`READ-rt`, `READ-st`, `READ-wt`"),
        (("WRITE", "READ", "WRITE"), "`READ`, `WRITE`"),
        (("", "A"), "`''` (no tag), `A`"),
    ],
)
def test_a_log_with_several_tags_is_refused_and_one_can_be_chosen(tmp_path, tags, listed):
    path = hdr_log(tmp_path, *tags)
    found = refused(path, unit=TimeUnit.NS)
    assert found.code is Code.NO_METRIC
    assert f"has intervals with {len(set(tags))} tags" in found.message
    assert str(found.help).endswith(listed)
    once = taken(hdr_log(tmp_path, "A"), TimeUnit.NS).histogram.requests
    hdr_log(tmp_path, *tags)
    for tag in set(tags):
        chosen = taken(path, TimeUnit.NS, tags=(tag,))
        assert chosen.histogram.requests == once * tags.count(tag)
    assert taken(path, TimeUnit.NS, tags=tags).histogram.requests == once * len(tags)


def test_a_log_with_one_tag_needs_no_choice(tmp_path):
    found = taken(hdr_log(tmp_path, "A", "A"), TimeUnit.NS)
    assert found.selected == "values of tags A"


def test_a_tag_that_no_interval_has_is_refused(tmp_path):
    found = refused(hdr_log(tmp_path, "A", "B"), unit=TimeUnit.NS, tags=("A", "C"))
    assert found.code is Code.NO_METRIC
    assert "has no interval with the tag `C`" in found.message


def test_tags_are_of_an_hdrhistogram_log_alone():
    found = refused(SAMPLES / "wrk2.txt", tags=("A",))
    assert (found.code, found.help) == (Code.USAGE, "remove `--tag`")


@pytest.mark.parametrize("name", ["k6.csv", "k6.json"])
def test_k6_is_the_duration_of_requests_that_succeeded(name):
    found = taken(name)
    assert_counted(found.histogram, [221_899_000, 120_500_000])
    assert (found.left_out, found.loop) == (1, Loop.UNSTATED)


@pytest.mark.parametrize("name", ["k6-1.8.1.csv", "k6-1.8.1.json.gz"])
def test_a_run_of_k6_is_its_rows_that_succeeded(name):
    with (SAMPLES / "k6-1.8.1.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["metric_name"] == "http_req_duration"]
    good = [row for row in rows if row["expected_response"] == "true"]
    # As k6 counted: 1 failed of 21, between 2.54 and 13.07 ms.
    assert (len(rows), len(good)) == (21, 20)
    found = taken(name)
    assert_counted(found.histogram, [round(float(row["metric_value"]) * 10**6) for row in good])
    assert (found.left_out, found.loop) == (1, Loop.UNSTATED)


def test_oha_json_is_its_percentiles():
    found = taken("oha.json")
    histogram = found.histogram
    assert histogram.requests == 50_000
    assert (histogram.min_ns, histogram.max_ns) == (500_000, 2_600_000)
    for ppm, ms in ((500_000, 1.0), (990_000, 1.3), (999_900, 2.2)):
        assert histogram.quantile_ns(ppm) / 1e6 == pytest.approx(ms, rel=RELATIVE_ERROR)
    assert found.failed_among == 10


def test_requests_of_oha_without_an_answer_are_left_out(tmp_path):
    path = tmp_path / "run.json"
    document = json.loads((SAMPLES / "oha.json").read_text())
    reasons = {"operation timed out": 50, "connection refused": 2, "aborted due to deadline": 7}
    path.write_text(json.dumps(document | {"errorDistribution": reasons}))
    (found,) = ingest([str(path)], InputOptions(), OPEN).inputs
    assert (found.times.left_out, found.times.failed_among) == (52, 10)


def test_oha_csv_is_the_rows_that_succeeded():
    found = taken("oha.csv")
    assert_counted(found.histogram, [2_626_127, 1_511_000])
    assert found.left_out == 1


def test_a_run_of_oha_as_json_is_what_it_printed():
    found = taken("oha-1.16.0.json")
    histogram = found.histogram
    # As oha counted: 57 times 200 and 3 times 503, between 1.776839 and 20.105909 ms.
    assert (histogram.requests, found.failed_among) == (60, 3)
    assert (histogram.min_ns, histogram.max_ns) == (1_776_839, 20_105_909)
    for ppm, ms in ((500_000, 4.020885), (900_000, 9.489106), (950_000, 11.963183)):
        assert histogram.quantile_ns(ppm) / 1e6 == pytest.approx(ms, rel=RELATIVE_ERROR)


def test_a_run_of_oha_as_csv_is_its_rows_that_succeeded():
    with (SAMPLES / "oha-1.16.0.csv").open() as file:
        rows = list(csv.DictReader(file))
    good = [row for row in rows if row["status"] == "200"]
    assert (len(rows), len(good)) == (60, 56)
    found = taken("oha-1.16.0.csv")
    assert_counted(found.histogram, [round(float(row["request-duration"]) * 1e9) for row in good])
    assert (found.left_out, found.loop) == (4, Loop.UNSTATED)


@pytest.mark.parametrize("name", ["vegeta.json", "hey.csv", "k6.csv", "k6.json", "wrk2.txt"])
def test_gzip_changes_nothing(tmp_path, name):
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress((SAMPLES / name).read_bytes()))
    said = StatedMeasure(Measure.DEMAND_BUSY, because="one client was alone on the machine")
    plain = ingest([str(SAMPLES / name)], InputOptions(), said).counted
    assert ingest([str(packed)], InputOptions(), said).counted.origins == plain.origins


@pytest.mark.parametrize(
    "path", sorted(path for path in SAMPLES.iterdir() if path.suffix != ".md"), ids=lambda p: p.name
)
def test_every_sample_is_known_as_one_format(path):
    packed = path.read_bytes()
    head = (gzip.decompress(packed) if path.suffix == ".gz" else packed)[:4096]
    matching = [one.name for one in find_formats() if one.matches(head)]
    assert len(matching) == 1


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("wrk.txt", Code.CLOSED_LOOP),
        ("hey.txt", Code.UNKNOWN_INPUT),
        ("vegeta.bin", Code.UNKNOWN_INPUT),
        ("README.md", Code.UNKNOWN_INPUT),
    ],
)
def test_what_tells_too_little_is_refused_with_what_to_give(name, code):
    with pytest.raises(TailcError) as caught:
        ingest([str(SAMPLES / name)], InputOptions(), StatedMeasure())
    (finding,) = caught.value.findings
    assert finding.code is code
    assert finding.help
