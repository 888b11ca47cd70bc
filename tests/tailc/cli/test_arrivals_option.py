import io
import json
from pathlib import Path

import click
import pytest

from tailc.cli.arrivals_option import combine_arrivals
from tailc.cli.quantities import ARRIVALS, EveryKind, RecordedColumn
from tailc.errors import Code, TailcError
from tailc.models.arrivals import Burst, Bursts, Poisson, RateProfile, RateStep, RecordedArrivals
from tailc.models.diurnal import DayCurve
from tailc.models.modulated_arrivals import Burstiness, ModulatedArrivals
from tailc.traces.arrivals import ArrivalColumn, GapTreatment
from tailc.traces.reading import TimeUnit
from tests.tailc.verify.policies import policy

S = 10**9
TOY = policy(rates_mrps=(20_000,))
BURSTS = Bursts((Burst(500, 45_000), Burst(300, 1_500)))


def test_bursts_are_requests_at_rates():
    assert ARRIVALS.convert("bursts:500@45/s, 300@90/min", None, None) == BURSTS


def test_a_profile_is_a_file(in_folder):
    Path("day.csv").write_text("duration,rate\n1min,4/s\n30s,0/s\n")
    profile = ARRIVALS.convert("profile:day.csv", None, None)
    assert profile == RateProfile((RateStep(60_000_000, 4_000), RateStep(30_000_000, 0)))


def test_a_recording_is_a_column():
    assert ARRIVALS.convert("recorded:at:utc", None, None) == RecordedColumn("at:utc")


def test_bursty_arrivals_have_a_rate_or_take_those_named_apart():
    asked = Burstiness(8_000_000, 2_000_000)
    assert ARRIVALS.convert("bursty:idc=8, spell=2s", None, None) == asked
    third = Burstiness(8_500_000, 2_000_000, 300_000)
    words = "bursty:idc=8.5,spell=2s,busy=30%,rate=40/s"
    assert ARRIVALS.convert(words, None, None) == ModulatedArrivals(40_000, third)
    assert ModulatedArrivals(40_000, third).words == words


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "40/s",
            "`40/s` is not `bursty:idc=8,spell=2s`, `diurnal:0.5,1,1.5`, "
            "`bursts:500@45/s,500@30/s`, `profile:FILE`, `recorded:COLUMN` or `all`",
        ),
        ("diurnal:0.5,-1", "`-1` is not a level of a day, a number such as 0.5"),
        ("diurnal:0.5,1/s", "`1/s` is not a level of a day"),
        ("diurnal:0.5,1,", "`` is not a level of a day"),
        ("diurnal:0.5,1,busy=2", "`busy=2` is not part of `diurnal:0.5,1,1.5`"),
        ("diurnal:1,2,rate=1/s,rate=2/s", "`rate` is given twice"),
        ("diurnal:1,2,rate=0/s", "`rate` must be more than zero"),
        ("bursty:8", "`8` is not part of `bursty:idc=8,spell=2s`"),
        ("bursty:index=8,spell=2s", "`index=8` is not part of `bursty:idc=8,spell=2s`"),
        ("bursty:idc=8,idc=9,spell=2s", "`idc` is given twice in `idc=8,idc=9,spell=2s`"),
        ("bursty:idc=8", "`idc=8` lacks `spell=`: write `bursty:idc=8,spell=2s`"),
        ("bursty:idc=1e3,spell=2s", "`1e3` is not an index of dispersion"),
        ("bursty:idc=\uff15,spell=2s", "`\uff15` is not an index of dispersion"),
        ("bursty:idc=0.5,spell=2s", "an index of dispersion of `0.5` is below that of Poisson"),
        ("bursty:idc=8,spell=2", "`2` has no unit"),
        ("bursty:idc=8,spell=0s", "`spell` must be more than zero"),
        ("bursty:idc=8,spell=2s,busy=100%", "a busy share of `100%` is not between 0 % and 100 %"),
        ("bursty:idc=8,spell=2s,rate=0/s", "`rate` must be more than zero"),
        ("bursts:", "`bursts:` is not"),
        ("bursts:500", "`500` is not a number of requests at a rate: `500@45/s`"),
        ("bursts:0@4/s", "`0@4/s` is not a number of requests"),
        ("bursts:5@0/s", "`5@0/s` never ends"),
        ("bursts:5@40", "`40` has no unit"),
        ("bursts:500@0.001/s,900000@0.002/s", "the bursts take more than 10 years"),
        ("bursts:\uff15@40/s", "`\uff15@40/s` is not a number of requests"),
        ("bursts:1@1/s", "`1@1/s` has too few requests; at least 100 are needed"),
        ("bursts:50@1/s,49@2/s", "`50@1/s,49@2/s` has too few requests; at least 100 are needed"),
        ("bursts:9999999@40/s", "9999999 requests are too many; the limit is 1000000"),
    ],
)
def test_other_words_are_refused(words, sentence):
    with pytest.raises(click.BadParameter) as refused:
        ARRIVALS.convert(words, None, None)
    assert refused.value.message.startswith(sentence)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1s,10/s", "has 10 requests on average, but a replay needs at least 100"),
        ("90000h,0.001/s", "the profile takes more than 10 years"),
        ("100h,40/s", "requests on average, but a replay needs at most 1000000"),
    ],
)
def test_a_profile_too_short_or_too_long_is_refused(in_folder, row, message):
    Path("day.csv").write_text(f"duration,rate\n{row}\n")
    with pytest.raises(TailcError) as refused:
        ARRIVALS.convert("profile:day.csv", None, None)
    (finding,) = refused.value.findings
    assert finding.code is Code.BAD_RATES
    assert finding.message.endswith(message)


@pytest.mark.parametrize(
    "words",
    [
        ("--trace", "-", "--arrivals", "profile:-"),
        ("--arrivals", "profile:-", "--trace", "-"),
        ("--trace", "day.csv", "--arrivals", "profile:-", "--arrivals", "profile:-"),
    ],
)
@pytest.mark.parametrize(
    "command", [("verify", "toy"), ("simulate", "toy.yaml"), ("diff", "a", "b")]
)
def test_standard_input_is_taken_once(in_folder, tailc, monkeypatch, command, words):
    given = io.TextIOWrapper(io.BytesIO(b"duration,rate\n1min,4/s\n"))
    monkeypatch.setattr("sys.stdin", given)
    ended = tailc(*command, *words)
    assert ended.code == 64
    assert "standard input can be read only" in ended.err


def test_a_spec_on_standard_input_leaves_none_for_a_rate_profile(in_folder, tailc, monkeypatch):
    given = io.TextIOWrapper(io.BytesIO(b"apiVersion: tailc/v1\n"))
    monkeypatch.setattr("sys.stdin", given)
    ended = tailc("simulate", "-", "--arrivals", "profile:-", "--trace", "day.csv")
    assert ended.code == 64
    assert "standard input can be read only" in ended.err


def test_nothing_asked_leaves_the_policy_its_rates():
    asked = combine_arrivals((), (), None, (), "error")
    assert asked.column is None
    assert asked.processes_for(TOY, None) is None


def test_rates_come_first_and_recordings_last():
    asked = combine_arrivals((40_000, 30_000), (RecordedColumn("at"), BURSTS), "ms", (), "keep")
    assert asked.column == ArrivalColumn("at", TimeUnit.MS, GapTreatment.KEEP)
    recorded = RecordedArrivals(times_ns(0, 1, 3), None, "at")
    assert asked.processes_for(TOY, recorded) == (
        Poisson(30_000),
        Poisson(40_000),
        BURSTS,
        recorded,
    )


def test_bursty_arrivals_come_at_every_rate():
    bursty = Burstiness(2_000_000, 2_000_000)
    asked = combine_arrivals((40_000, 30_000), (bursty, BURSTS), None, (), "error")
    slow, fast = (ModulatedArrivals(rate, bursty) for rate in (30_000, 40_000))
    assert asked.processes_for(TOY, None) == (Poisson(30_000), Poisson(40_000), slow, fast, BURSTS)


def test_days_have_a_rate_or_take_those_named_apart():
    curve = DayCurve((500_000, 1_500_000))
    assert ARRIVALS.convert("diurnal:0.5, 1.5", None, None) == curve
    assert ARRIVALS.convert("diurnal:0.5,1.5,rate=40/s", None, None) == curve.with_rate(40_000)
    asked = combine_arrivals((30_000,), (curve,), None, (), "error")
    assert asked.processes_for(TOY, None) == (Poisson(30_000), curve.with_rate(30_000))


def test_all_kinds_come_at_the_policy_s_rates_or_at_those_named():
    at_own = combine_arrivals((), (EveryKind(),), None, (), "error").processes_for(TOY, None)
    assert at_own is not None
    assert [one.name.split(",")[0] for one in at_own] == [
        "20/s",
        "bursty 20/s",
        "diurnal 20/s",
    ]
    asked = combine_arrivals(
        (30_000,), (BURSTS, ARRIVALS.convert("all", None, None)), None, (), "error"
    )
    named = asked.processes_for(TOY, None)
    assert named is not None
    assert [one.rate_mrps for one in named[:3]] == [30_000] * 3
    assert named[3:] == (BURSTS,)


def test_a_day_of_one_level_is_refused(tailc):
    ended = tailc("verify", "toy", "--trace", "other.csv", "--arrivals", "diurnal:1")
    assert ended.code == 64
    assert "1 level is no day" in ended.err


def test_bursty_arrivals_need_a_rate():
    with pytest.raises(TailcError) as refused:
        combine_arrivals((), (Burstiness(2_000_000, 2_000_000),), None, (), "error")
    (finding,) = refused.value.findings
    assert finding.message == "the arrival process `bursty:idc=2,spell=2s,busy=20%` has no rate"
    assert finding.help == "add `--rate 40/s`, or add `rate=40/s` to the arrival process"


def test_a_recording_is_rescaled_to_each_rate_asked_for():
    asked = combine_arrivals((), (RecordedColumn("at"),), None, (4_000, 1_000), "error")
    processes = asked.processes_for(TOY, RecordedArrivals(times_ns(0, 1, 3), None, "at"))
    assert processes is not None
    assert [process.name for process in processes] == [
        "recorded `at` at 1/s",
        "recorded `at` at 4/s",
    ]


def times_ns(*seconds):
    import numpy as np

    return np.array(seconds, np.int64) * S


def test_options_of_recordings_need_one():
    with pytest.raises(TailcError) as refused:
        combine_arrivals((), (BURSTS,), "s", (40_000,), "keep")
    assert [finding.message for finding in refused.value.findings] == [
        "`--arrival-unit` applies only to recorded arrivals",
        "`--rescale` applies only to recorded arrivals",
        "`--gaps` applies only to recorded arrivals",
    ]


def test_requests_arrived_once():
    with pytest.raises(TailcError) as refused:
        combine_arrivals((), (RecordedColumn("at"), RecordedColumn("seen")), None, (), "error")
    assert "`at`, `seen`" in refused.value.findings[0].message


QUICK = ("--requests", "400", "--replicates", "60", "--baselines", "none", "--no-progress")


def judged(tailc, *options):
    ended = tailc(
        *("verify", "toy", "--trace", "other.csv", "--output-format", "json"), *QUICK, *options
    )
    assert ended.code in (0, 1, 4), ended.err
    return json.loads(ended.out)


@pytest.fixture
def toy(compiled):
    """A compiled toy, and another trace of 400 requests that came two a second."""
    rows = (f"{40 + i * i % 97},{i / 2}\n" for i in range(400))
    (compiled / "other.csv").write_text("demand_ms,at\n" + "".join(rows))


@pytest.mark.usefixtures("toy")
def test_every_process_asked_for_is_judged(tailc):
    said = judged(
        tailc,
        *("--rate", "3/s", "--arrivals", "bursts:300@4/s,300@2/s"),
        *("--arrivals", "bursty:idc=3,spell=4s", "--arrivals", "diurnal:0.5,1.5"),
        *("--arrivals", "recorded:at", "--arrival-unit", "s", "--rescale", "1/s"),
    )
    points = said["result"]["points"]
    assert [(point["arrivals"], point["rate_mrps"]) for point in points] == [
        ("3/s", 3_000),
        ("bursts 300@4/s, 300@2/s", 2_667),
        ("bursty 3/s, IDC 3, spells of 4 s, 20 % busy", 3_000),
        ("diurnal 3/s, 1.5/s to 4.5/s in 2 levels of a day", 3_000),
        ("recorded `at` at 1/s", 1_000),
    ]


@pytest.mark.usefixtures("toy")
def test_a_recording_without_a_unit_is_refused_at_its_column(tailc):
    ended = tailc("verify", "toy", "--trace", "other.csv", "--arrivals", "recorded:at", *QUICK)
    assert ended.code == 64
    assert "other.csv, column `at`" in ended.err
