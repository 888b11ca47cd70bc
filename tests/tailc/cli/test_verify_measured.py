"""verify --measured: latencies of a server against the SLOs and the replay."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tailc.artifact.files import read_policy
from tailc.experiment.experiment import Experiment
from tailc.experiment.scenario import Scenario
from tailc.models.arrivals import Poisson
from tailc.models.modulated_arrivals import Burstiness, ModulatedArrivals
from tailc.models.subjects import subject_of
from tailc.studies.held_out import read_held_out
from tests.tailc.cli.json_schemas import OUTPUT
from tests.tailc.cli.verify_case import QUICK, trace
from tests.tailc.schemas import validate
from tests.tailc.toy import with_lines, write_toy

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "schemas/report/measured-1.schema.json").read_text()
)
POISSON = Poisson(10_000)
TABLE = ("--measured", "served.csv", "--measured-column", "latency", "--measured-unit", "ms")

TIMED = ("--measured", "timed.csv", *TABLE[2:], "--measured-arrivals", "at_ms")
TIMED += ("--measured-arrival-unit", "ms")


def server_latencies(folder, arrivals: Poisson | ModulatedArrivals = POISSON, requests=8_000):
    """Times of arrival and latencies [ms] of the policy, of other requests than verify has."""
    policy = read_policy(str(folder / "toy.tailc"))
    (folder / "served_requests.csv").write_text(trace(3, requests))
    served = read_held_out(policy, str(folder / "served_requests.csv")).profile
    subject = subject_of(policy, served)
    scenario = Scenario(subject.workload(served), arrivals, requests, 4_000, 77)
    with ThreadPoolExecutor(1) as workers:
        ((_, outcome),) = Experiment(scenario, 1, 0, workers).outcomes(subject)
    counted_ns = outcome.arrival_ns[outcome.measured][outcome.served]
    return counted_ns / 1e6, outcome.latencies_ns / 1e6


def table(latencies_ms, factor=1.0, name="latency"):
    return f"{name}\n" + "".join(f"{factor * each:.6f}\n" for each in latencies_ms)


def timed_table(times_ms, latencies_ms):
    rows = zip(times_ms, latencies_ms, strict=True)
    return "at_ms,latency\n" + "".join(f"{at:.6f},{ms:.6f}\n" for at, ms in rows)


@pytest.fixture(scope="module")
def folder(_judged_toy, tmp_path_factory):
    folder = shutil.copytree(_judged_toy, tmp_path_factory.mktemp("measured") / "toy")
    times_ms, latencies_ms = server_latencies(folder)
    (folder / "served.csv").write_text(table(latencies_ms))
    (folder / "timed.csv").write_text(timed_table(times_ms, latencies_ms))
    return folder


@pytest.fixture
def served(folder, copied):
    """A policy, held-out requests, and `served.csv` with latencies of a server."""
    return copied(folder)


def latencies_in(folder):
    return [float(line) for line in (folder / "served.csv").read_text().splitlines()[1:]]


def judged(tailc, *options, rate="10/s"):
    arguments = ("--trace", "new.csv", *QUICK, "--rate", rate)
    return tailc("verify", "toy.tailc", *arguments, *(options or TABLE))


def result_of(tailc, *options):
    ended = judged(tailc, *(options or TABLE), "--output-format", "json")
    document = json.loads(ended.out)
    validate(document, OUTPUT)
    validate(document["result"], SCHEMA)
    return ended.code, document["result"]


def test_latencies_of_the_policy_agree_with_its_replay(served, tailc):
    code, result = result_of(tailc)
    (slo,) = result["slos"]
    assert (code, result["verdict"], slo["agreement"]) == (0, "pass", "agree")
    assert result["measured"]["requests"] == len(latencies_in(served))
    assert slo["measured"]["low_us"] <= slo["predicted"]["high_us"]
    assert slo["predicted"]["low_us"] <= slo["measured"]["high_us"]


def test_the_measured_percentile_and_its_limits_are_order_statistics(served, tailc):
    """The ranks are those of scipy.stats.binom at p = 0.95 and n = 7,600."""
    latencies = sorted(latencies_in(served))
    assert len(latencies) == 7_600
    measured = result_of(tailc)[1]["slos"][0]["measured"]
    for name, rank in (("low_us", 7_182), ("estimate_us", 7_220), ("high_us", 7_258)):
        assert measured[name] == pytest.approx(1_000 * latencies[rank - 1], rel=6e-4)


def test_a_server_slower_by_30_percent_differs_by_that(served, tailc):
    same = result_of(tailc)[1]["slos"][0]
    (served / "served.csv").write_text(table(latencies_in(served), 1.3))
    code, result = result_of(tailc)
    (slo,) = result["slos"]
    assert (code, slo["verdict"], slo["agreement"]) == (0, "pass", "differ")
    assert slo["difference_ppm"] == pytest.approx(
        1.3 * (1e6 + same["difference_ppm"]) - 1e6, abs=2_000
    )
    ended = judged(tailc)
    assert f"differ, {slo['difference_ppm'] / 10_000:+.1f} %" in ended.out
    assert "latencies alone do not show which part of the model differs" in ended.out


def test_a_faster_server_differs_too(served, tailc):
    (served / "served.csv").write_text(table(latencies_in(served), 0.5))
    (slo,) = result_of(tailc)[1]["slos"]
    assert slo["agreement"] == "differ"
    assert slo["difference_ppm"] < -400_000


def test_demand_that_has_drifted_is_named(served, tailc):
    (served / "new.csv").write_text(trace(2, 600, mean_ms=120.0))
    ended = judged(tailc)
    assert "differ, -" in ended.out
    assert "demand: that of the trace differs from that of the compile" in ended.out
    assert result_of(tailc)[1]["deviating"] == ["demand"]


def test_arrivals_as_replayed_are_not_named(served, tailc):
    result = result_of(tailc, *TIMED)[1]
    assert result["deviating"] == []
    assert not result["arrivals"]["has_other_rate"]
    assert "arrivals:" not in judged(tailc, *TIMED).out


def test_another_rate_is_named(served, tailc):
    ended = judged(tailc, *TIMED, rate="12/s")
    assert "were measured, 12/s were replayed" in ended.out


def test_bursts_are_named_where_the_latencies_differ(served, tailc):
    bursts = Burstiness(8_000_000, 2_000_000).with_rate(10_000)
    (served / "timed.csv").write_text(timed_table(*server_latencies(served, bursts)))
    result = result_of(tailc, *TIMED)[1]
    assert result["deviating"] == ["arrivals"]
    assert result["arrivals"]["index_ppm"] > 3e6 > result["arrivals"]["predicted_index_ppm"]
    assert "their index of dispersion is" in judged(tailc, *TIMED).out
    replayed = ("--trace", "new.csv", *QUICK, "--arrivals", "bursty:rate=10/s,idc=8,spell=2s")
    ended = tailc("verify", "toy.tailc", *replayed, *TIMED)
    assert "agree, " in ended.out
    assert "arrivals:" not in ended.out


def test_requests_at_equal_intervals_are_named(served, tailc):
    count = len(latencies_in(served))
    times_ms = [100 * number for number in range(count)]
    (served / "timed.csv").write_text(timed_table(times_ms, latencies_in(served)))
    assert "index of dispersion is 0.0, and 1.0 in the replay" in judged(tailc, *TIMED).out


def test_a_slow_server_with_the_arrivals_of_the_replay_needs_times_of_requests(served, tailc):
    header, *rows = (served / "timed.csv").read_text().splitlines()
    cells = [row.split(",") for row in rows]
    slow = [f"{at},{1.5 * float(ms)}" for at, ms in cells]
    (served / "timed.csv").write_text("\n".join([header, *slow]) + "\n")
    ended = judged(tailc, *TIMED)
    assert "differ, +" in ended.out
    assert "the arrivals are as in the replay; a demand log with the times" in ended.out


def test_demand_heavier_by_a_fifth_is_named_alone(served, tailc):
    (served / "new.csv").write_text(trace(2, 2_000, mean_ms=72.0))
    assert result_of(tailc, *TIMED)[1]["deviating"] == ["demand"]


def test_too_few_arrivals_are_an_error(served, tailc):
    (served / "timed.csv").write_text(timed_table([1, 2, 3], [10, 20, 30]))
    ended = judged(tailc, *TIMED)
    assert ended.code == 65
    assert "too few arrivals to measure how they are dispersed" in ended.err


def test_times_of_arrival_need_their_unit(served, tailc):
    ended = judged(tailc, *TIMED[:-2])
    assert ended.code != 0
    assert "`--measured-arrival-unit" in ended.err


def test_a_server_that_misses_its_slo_fails(served, tailc):
    (served / "served.csv").write_text(table(latencies_in(served), 10.0))
    ended = judged(tailc)
    assert ended.code == 1
    assert "verdict: fail" in ended.out


@pytest.mark.parametrize("count", [1, 20, 71])
def test_too_few_latencies_are_undecided(served, tailc, count):
    """0.95^71 is 2.6 % and 0.95^72 is 2.5 %: the largest of 71 is not an upper limit."""
    (served / "served.csv").write_text(table(latencies_in(served)[:count]))
    ended = judged(tailc)
    assert ended.code == 4
    assert "too few latencies for an upper limit, measure more requests" in ended.out
    assert result_of(tailc)[1]["slos"][0]["measured"]["high_us"] is None


def test_the_fewest_latencies_that_decide(served, tailc):
    (served / "served.csv").write_text(table(latencies_in(served)[:72]))
    assert judged(tailc).code == 0


def test_an_overloaded_replay_predicts_nothing(served, tailc):
    ended = judged(tailc, *TABLE, rate="400/s")
    assert ended.code == 0
    assert "undecided, overloaded" in ended.out
    assert "the server is overloaded in the replay" in ended.out


def test_a_profile_of_responses_is_judged_as_its_table(served, tailc):
    options = ("--column", "latency", "--unit", "ms", "--measure", "response-open")
    assert tailc("ingest", "served.csv", *options, "-o", "served.profile").code == 0
    assert result_of(tailc, "--measured", "served.profile") == result_of(tailc)


def test_a_unit_in_the_name_of_the_column_counts(served, tailc):
    (served / "served.csv").write_text(table(latencies_in(served), 1e-3, "latency_s"))
    options = ("--measured", "served.csv", "--measured-column", "latency_s")
    (slo,) = result_of(tailc, *options)[1]["slos"]
    assert slo["agreement"] == "agree"


def test_latencies_may_come_by_standard_input(served, tailc, monkeypatch):
    with (served / "served.csv").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert judged(tailc, "--measured", "-", *TABLE[2:]).code == 0


def test_reports_for_ci_have_both_intervals(served, tailc):
    note = judged(tailc, *TABLE, "--output-format", "github").out
    assert "measured SLO pass" in note
    assert "predicted" in note
    markdown = judged(tailc, *TABLE, "--output-format", "markdown").out
    assert "| SLO | measured |" in markdown


@pytest.mark.parametrize(("unit", "code"), [("us", 0), ("s", 1)], ids=["too short", "too long"])
def test_a_wrong_unit_is_a_warning(served, tailc, unit, code):
    ended = judged(tailc, *TABLE[:-1], unit)
    assert ended.code == code
    assert "warning[TC0251]" in ended.err
    assert "`--measured-unit`" in ended.err


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--measured-column", "gone"), 65, "gone"),
        (("--measured-column", "latency"), 65, "give it with `--measured-unit ns`"),
        ((), 65, "give `--measured-column`"),
    ],
    ids=["another column", "no unit", "no column"],
)
def test_a_wrong_column_is_an_error(served, tailc, options, code, message):
    ended = judged(tailc, "--measured", "served.csv", *options)
    assert ended.code == code, ended.err
    assert message in ended.err
    assert "served.csv" in ended.err


def test_a_bad_row_is_an_error_with_its_place(served, tailc):
    (served / "served.csv").write_text("latency\n12\nabc\n13\n")
    ended = judged(tailc)
    assert ended.code == 65
    assert "served.csv:3" in ended.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("demand_us,weight\n21000,100\n", "a runtime's log of demands, which are not latencies"),
        ("demand_us,weight,class\n21000,100,a\n", "`--trace` accepts this log"),
        (
            '{"data": [{"traceID": "a", "spans": [], "processes": {}}]}\n',
            "whose own times are not latencies",
        ),
    ],
    ids=["demand log", "demand log of classes", "spans"],
)
def test_demands_are_not_latencies(served, tailc, text, message):
    (served / "log").write_text(text)
    ended = judged(tailc, "--measured", "log")
    assert ended.code == 65
    assert message in ended.err


def test_a_profile_of_demands_is_not_latencies(served, tailc):
    options = ("--column", "latency", "--unit", "ms", "--measure", "demand-busy")
    assert tailc("ingest", "served.csv", *options, "-o", "work.profile").code == 0
    ended = judged(tailc, "--measured", "work.profile")
    assert ended.code == 65
    assert "is a profile of `demand-busy`" in ended.err
    assert "give the response times of the server" in ended.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--measured-unit", "ms"), "`--measured-unit` needs `--measured` with the latencies"),
        (
            (*TABLE, "--measured-arrival-unit", "s"),
            "`--measured-arrival-unit` needs `--measured-arrivals` with the times",
        ),
        (("--baselines", "seq", *TABLE), "`--measured` cannot be combined with `--baselines`"),
        (("--rate", "20/s", *TABLE), "`--measured` needs the one arrival process"),
        (("--arrivals", "all", *TABLE), "`--measured` needs the one arrival process"),
    ],
)
def test_options_that_do_not_suit_are_usage_errors(served, tailc, options, message):
    ended = judged(tailc, *options)
    assert ended.code == 64
    assert message in ended.err


def test_the_arrival_process_is_required(served, tailc):
    ended = tailc("verify", "toy.tailc", "--trace", "new.csv", *TABLE)
    assert ended.code == 64
    assert "give one `--rate` or one `--arrivals`" in ended.err


def test_slos_of_classes_are_refused(in_folder, tailc):
    classes = "speedup: {classes: {column: kind, curves: {a: [1, 1.5, 2], b: [1, 1.2, 1.3]}}}"
    slo = "200ms}, {percentile: 99%, latency: 2s, class: a}]"
    spec = with_lines(("speedup: [1, 1.5, 2]", classes), ("200ms}]", slo))
    rows = "".join(f"{n},{10 + n % 90},{'ab'[n % 2]}\n" for n in range(200))
    write_toy(in_folder, spec, "request,demand_ms,kind\n" + rows)
    compiled = tailc("compile", "toy.yaml", "-o", "toy")
    assert compiled.code == 0, compiled.err
    (in_folder / "served.csv").write_text("latency\n12\n")
    ended = tailc("verify", "toy.tailc", "--trace", "toy.csv", "--rate", "1/s", *TABLE)
    assert ended.code == 64
    assert "measured latencies have no classes" in ended.err
