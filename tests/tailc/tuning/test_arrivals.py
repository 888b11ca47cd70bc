"""Tables tuned for arrivals that are not Poisson: what is read, stated and refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from tailc.artifact.files import read_policy
from tailc.errors import Code, TailcError
from tailc.models.diurnal import DayCurve
from tailc.pipeline import tuning_arrivals
from tailc.pipeline.spec import open_kind
from tailc.pipeline.trace import open_trace
from tailc.pipeline.tuning_arrivals import with_recorded
from tailc.studies.shared_traces import SharedTraces
from tests.tailc.tuning.compile_case import RATES, queued
from tests.tailc.tuning.short import short_searches

LEAST = 3_000_000
"""The smallest budget for one rate."""
S = 10**9


@pytest.fixture(scope="module", autouse=True)
def _short():
    with short_searches():
        yield


def timed(folder, times, column="at", **search):
    """The kit's spec with times of arrival; `times` is a text for each request."""
    case = queued(folder, requests=LEAST, recorded=search.pop("recorded", column), **search)
    header, *demands = case.design.read_text().splitlines()
    # The kit's requests come by size: here they come mixed.
    demands = [demands[i * 7 % len(demands)] for i in range(len(times))]
    rows = (f"{demand},{time}" for demand, time in zip(demands, times, strict=True))
    case.design.write_text("\n".join([f"{header},{column}", *rows]) + "\n")
    return case


def at_one_rate(case):
    case.spec.write_text(case.spec.read_text().replace(RATES, "rates: [60/s]"))
    return case


def seconds(count, gap_s=0.01):
    return [f"{i * gap_s:.3f}" for i in range(count)]


def read(case):
    """The aim of the spec once the trace is read."""
    opened = open_kind(str(case.spec))
    aim, warnings = with_recorded(opened.kind.tuning.aim(opened.spec), open_trace(opened))
    assert not warnings
    return aim


@pytest.fixture
def opened_again(monkeypatch):
    """Paths of the traces that are opened for their recorded arrivals."""
    paths = []
    opens = tuning_arrivals.open_source

    def counted(path):
        paths.append(path)
        return opens(path)

    monkeypatch.setattr(tuning_arrivals, "open_source", counted)
    return paths


@pytest.mark.parametrize("variants", [2, 5])
def test_variants_of_a_spec_share_recorded_arrivals(tmp_path, opened_again, variants):
    case = timed(tmp_path, seconds(900), recorded={"column": "at", "unit": "s"})
    alone, opened = read(case), open_kind(str(case.spec))
    opened_again.clear()
    traces = SharedTraces([opened] * variants)
    for number in range(variants):
        # As in the process of a variant.
        trace = pickle.loads(pickle.dumps(traces.reading_of(number)))(opened)
        aim, _ = with_recorded(opened.kind.tuning.aim(opened.spec), trace)
        assert times_s(aim.pattern) == times_s(alone.pattern)
        assert times_s(aim.validation_pattern) == times_s(alone.validation_pattern)
    assert len(opened_again) == 1


def test_variants_with_other_recorded_columns_do_not_share_them(tmp_path, opened_again):
    case = timed(tmp_path, seconds(900), recorded={"column": "at", "unit": "s"})
    first = open_kind(str(case.spec))
    case.spec.write_text(case.spec.read_text().replace('"unit": "s"', '"unit": "ms"'))
    opened = [first, open_kind(str(case.spec))]
    traces = SharedTraces(opened)
    spans_s = []
    for number, one in enumerate(opened):
        aim, _ = with_recorded(one.kind.tuning.aim(one.spec), traces.reading_of(number)(one))
        spans_s.append(times_s(aim.pattern)[-1])
    assert spans_s == pytest.approx([5.99, 0.00599])
    assert len(opened_again) == 2


def test_each_variant_finds_an_error_of_recorded_arrivals_itself(tmp_path):
    case = timed(tmp_path, seconds(300), recorded={"column": "at", "unit": "s"})
    opened = open_kind(str(case.spec))
    traces = SharedTraces([opened] * 2)
    for number in range(2):
        trace = traces.reading_of(number)(opened)
        with pytest.raises(TailcError, match="300 arrivals are too few"):
            with_recorded(opened.kind.tuning.aim(opened.spec), trace)


def times_s(pattern):
    return (pattern.times_ns / S).tolist()


def test_the_last_third_of_the_recording_judges(tmp_path):
    """Gaps of 10 ms, then of 20 ms: 900 arrivals, of which 600 are searched on."""
    times = [f"{0.01 * i + 0.01 * max(i - 600, 0):.3f}" for i in range(900)]
    aim = read(timed(tmp_path, times, recorded={"column": "at", "unit": "s"}))
    assert times_s(aim.pattern) == pytest.approx((0.01 * np.arange(600)).tolist())
    assert times_s(aim.judging.pattern) == pytest.approx((0.02 * np.arange(300)).tolist())
    assert [one.name for one in aim.judging.arrivals] == [
        "recorded `at` at 30/s",
        "recorded `at` at 90/s",
    ]


def test_what_is_held_out_by_time_is_not_read(tmp_path):
    """A fifth of 1,000 is held out, so 800 count, of which 266 judge."""
    case = timed(tmp_path, seconds(1_000), recorded={"column": "at", "unit": "s"})
    split = "reference: one thread\n  held_out: {fraction: 20%, by: time, column: at}"
    case.spec.write_text(case.spec.read_text().replace("reference: one thread", split))
    aim = read(case)
    counts = [len(times_s(pattern)) for pattern in (aim.pattern, aim.validation_pattern)]
    assert counts == [534, 266]


@pytest.mark.parametrize(
    ("times", "recorded", "code", "said"),
    [
        (seconds(599), {"column": "at", "unit": "s"}, Code.FEW_ARRIVALS, "599 arrivals are too"),
        (
            ["0"] * 600 + ["9"] * 300,
            {"column": "at", "unit": "s"},
            Code.FEW_ARRIVALS,
            "have the same time",
        ),
        (seconds(900)[::-1], {"column": "at", "unit": "s"}, Code.OUT_OF_ORDER, "earlier than"),
        (seconds(900), "at", Code.MISSING_UNIT, "the column has numbers, and no unit is given"),
        (seconds(900), "when", Code.MISSING_COLUMN, "no column `when`"),
        (["0", *seconds(899, 1e7)], {"column": "at", "unit": "s"}, Code.OUT_OF_RANGE, "100 years"),
    ],
)
def test_arrivals_that_cannot_be_tuned_for_are_refused(tmp_path, times, recorded, code, said):
    case = timed(tmp_path, times, recorded=recorded)
    with pytest.raises(TailcError) as refused:
        read(case)
    finding = refused.value.findings[0]
    assert finding.code is code
    assert said in finding.message
    assert finding.place is not None
    assert finding.place.field in ("at", "when")


def test_a_silence_is_mended_in_the_spec(tmp_path):
    """No compile has options of arrivals."""
    times = [*seconds(450), *(f"{100 + 0.01 * i:.3f}" for i in range(450))]
    case = timed(tmp_path, times, recorded={"column": "at", "unit": "s"})
    with pytest.raises(TailcError) as refused:
        read(case)
    (finding,) = refused.value.findings
    assert finding.code is Code.ARRIVAL_GAP
    assert "`gaps: keep` in `search.recorded` if" in str(finding.help)


@pytest.mark.parametrize(
    ("search", "said"),
    [
        ({"diurnal": [1]}, "must be from 2 to 1,440 levels, not 1"),
        ({"diurnal": 4}, "must be a list of levels"),
        ({"diurnal": [1, -1]}, "must be from 0 to"),
        ({"diurnal": [1, "2/s"]}, "must be a number"),
        ({"diurnal": [0, 0]}, "are all zero, so no requests arrive"),
        ({"diurnal": [1, 2], "recorded": "at"}, "` both define how requests arrive"),
        ({"diurnal": [1, 2], "method": "grid"}, "applies only to the method `simulation`"),
        ({"recorded": "at", "method": "grid"}, "applies only to the method `simulation`"),
        ({"recorded": {"column": "at", "unit": "h"}}, "unit"),
        # 90/s of 30 ms keep 67.5 % of four cores busy, and 1.5 times as many 101 %
        ({"diurnal": [0.5, 1.5]}, "keep 101% of the cores busy at the day's peak"),
    ],
)
def test_specs_that_say_no_arrivals_are_refused(tmp_path, tailc, search, said):
    done = tailc("compile", queued(tmp_path, **search).spec, "-o", tmp_path / "p")
    assert done.code == 65
    assert said in " ".join(done.err.split())


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "trace: design.csv",
            'trace: "-"',
            ("needs a trace file, because standard input can be read only once"),
        ),
        (
            "reference: one thread",
            "reference: one thread\n  held_out: 20%",
            "hold out the last requests",
        ),
    ],
)
def test_recordings_that_cannot_be_parted_are_refused(tmp_path, tailc, before, after, said):
    case = queued(tmp_path, recorded="at")
    case.spec.write_text(case.spec.read_text().replace(before, after))
    done = tailc("compile", case.spec, "-o", tmp_path / "p")
    assert done.code == 65
    assert said in " ".join(done.err.split())


def test_a_day_is_what_the_spec_says(tmp_path):
    opened = open_kind(str(queued(tmp_path, diurnal=[0.8, 1.2]).spec))
    arrivals = opened.kind.tuning.aim(opened.spec).arrivals
    curve = DayCurve((800_000, 1_200_000))
    assert arrivals == (curve.with_rate(30_000), curve.with_rate(90_000))


def test_an_artifact_says_that_it_was_tuned_for_a_recording(tmp_path, tailc):
    """In bursts of two seconds with 3 ms between requests, then of one with 40 ms."""
    gaps_s = np.tile(np.repeat([0.003, 0.04], [600, 150]), 2)
    times = [f"{at_s:.3f}" for at_s in np.cumsum(gaps_s)]
    case = at_one_rate(timed(tmp_path, times, recorded={"column": "at", "unit": "s"}))
    done = tailc("compile", case.spec, "-o", tmp_path / "p")
    assert done.code == 0, done.err
    judging = "10 replays of 5,000 requests on 500 records held out from the search"
    assert f"under recorded arrivals, 1,000 of them, {judging}" in done.out
    assert dict(read_policy(str(tmp_path / "p")).evidence.settings)["recorded_arrivals"] == 1_000
    told = tailc("inspect", tmp_path / "p").out
    assert "\ntuned for  recorded arrivals, 1,000 of them\n" in told
