"""verify --drift: whether to compile again, from a trace or from what a server logged."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.cli import run
from tests.tailc.cli.compiling import compile_in
from tests.tailc.schemas import validate
from tests.tailc.toy import with_lines, write_toy

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "schemas/report/drift-1.schema.json").read_text(encoding="utf-8")
)
WEB = Path(__file__).parents[3] / "examples/web"
# A line of a spectrum: a time, then its percentile.
POINT = re.compile(r"(?m)^ *([0-9.]+) +([01]\.[0-9]+ +[0-9]+ )")
ROWS = 400
CLASSES = "speedup: {classes: {column: kind, curves: {a: [1, 1.5, 2], b: [1, 1.2, 1.3]}}}"


def demands_ms(factor):
    """From 10 to 106 ms, all as often."""
    return [factor * (10 + number * 37 % 97) for number in range(ROWS)]


def trace(factor=1):
    rows = "".join(f"{number},{ms}\n" for number, ms in enumerate(demands_ms(factor)))
    return "request,demand_ms\n" + rows


def log(factor=1, weight=100):
    rows = "".join(f"{round(1_000 * ms)},{weight}\n" for ms in demands_ms(factor))
    return "demand_us,weight\n" + rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drift")
    write_toy(folder, trace=trace())
    compile_in(folder, "toy.yaml", "-o", "toy")
    return folder


@pytest.fixture
def compiled(folder, copied):
    return copied(folder)


def judged(compiled, tailc, text, *options):
    (compiled / "new.csv").write_text(text)
    return tailc("verify", "toy.tailc", "--trace", "new.csv", "--drift", *options)


@pytest.mark.parametrize("text", [trace(), log()])
def test_demand_as_of_the_compile_has_not_drifted(compiled, tailc, text):
    ended = judged(compiled, tailc, text)
    assert ended.code == 0
    assert "drift of demand since the compile: not flagged" in ended.out


@pytest.mark.parametrize("text", [trace(2), log(2)])
def test_demand_that_has_doubled_asks_for_another_compile(compiled, tailc, text):
    ended = judged(compiled, tailc, text)
    assert ended.code == 2
    assert "drift of demand since the compile: flagged" in ended.out
    assert "compile again on newer requests" in ended.err


def test_a_row_of_a_log_is_one_draw_for_however_many_it_stands(compiled, tailc):
    few = judged(compiled, tailc, log(weight=1), "--output-format", "json")
    many = judged(compiled, tailc, log(weight=1_000), "--output-format", "json")
    assert json.loads(few.out)["result"] == json.loads(many.out)["result"]
    assert json.loads(few.out)["result"]["held_out"]["requests"] == ROWS


def test_the_document_is_as_its_schema_says(compiled, tailc):
    result = json.loads(judged(compiled, tailc, log(2), "--output-format", "json").out)["result"]
    validate(result, SCHEMA)
    assert result["drift"]["is_flagged"]
    means = {factor: round(1_000 * sum(demands_ms(factor)) / ROWS) for factor in (1, 2)}
    assert result["drift"]["compiled_mean_us"] == means[1]
    assert result["drift"]["held_out_mean_us"] == means[2]


def test_a_policy_that_does_not_tell_its_demand_is_undecided(compiled, tailc):
    policy = read_policy("toy.tailc")
    silent = replace(policy, inputs=tuple(replace(one, demand=None) for one in policy.inputs))
    write_policy(silent, Path("toy"))
    ended = judged(compiled, tailc, log())
    assert ended.code == 4
    assert "drift of demand: unknown" in ended.out


def test_a_log_may_be_replayed_where_its_speed_ups_are_known(compiled, tailc):
    (compiled / "new.csv").write_text(log(1.01))
    options = ("--requests", "400", "--replicates", "50", "--baselines", "none")
    ended = tailc("verify", "toy.tailc", "--trace", "new.csv", *options)
    assert ended.code in (0, 1, 4)
    assert "400 requests" in ended.out


@pytest.fixture(scope="module")
def monday(tmp_path_factory):
    spec = with_lines(
        ("trace: toy.csv", "trace: monday.profile"),
        ("  column: demand_ms\n  unit: ms\n", ""),
        (
            "measure: demand-busy",
            "measure: response-open\n  response_time_because: one client sent slowly",
        ),
    )
    folder = tmp_path_factory.mktemp("monday")
    write_toy(folder, spec)
    assert run(["ingest", str(WEB / "monday.txt"), "-o", str(folder / "monday.profile")]) == 0
    compile_in(folder, "toy.yaml", "-o", "toy")
    return folder


@pytest.fixture
def of_spectrum(monday, copied):
    """A policy compiled from the wrk2 spectrum of a Monday."""
    return copied(monday)


def ingested(tailc, day, source=None):
    source = source or WEB / f"{day}.txt"
    assert tailc("ingest", source, "-o", f"{day}.profile").code == 0


def test_spectra_of_a_service_that_did_not_change_are_no_drift(of_spectrum, tailc):
    ingested(tailc, "tuesday")
    ended = tailc("verify", "toy.tailc", "--trace", "tuesday.profile", "--drift")
    assert (ended.code, ended.err) == (0, "")


def test_a_spectrum_of_a_service_twice_as_slow_is_drift(of_spectrum, tailc, in_folder):
    slow = POINT.sub(
        lambda found: f"{2 * float(found[1])} {found[2]}", (WEB / "tuesday.txt").read_text()
    )
    (in_folder / "slow.txt").write_text(slow)
    ingested(tailc, "slow", "slow.txt")
    ended = tailc("verify", "toy.tailc", "--trace", "slow.profile", "--drift")
    assert ended.code == 2
    assert "demand has drifted" in ended.err


def test_options_of_a_replay_are_refused(compiled, tailc):
    ended = judged(compiled, tailc, log(), "--rate", "3/s", "--requests", "400")
    assert ended.code == 64
    assert "`--drift` makes no replays, so remove `--drift` or --rate, --requests" in ended.err


def test_a_log_without_classes_does_not_choose_among_curves(in_folder, tailc):
    rows = "".join(f"{n},{ms},{'ab'[n % 2]}\n" for n, ms in enumerate(demands_ms(1)))
    by_class = ("speedup: [1, 1.5, 2]", CLASSES)
    write_toy(in_folder, with_lines(by_class), "request,demand_ms,kind\n" + rows)
    compiled = tailc("compile", "toy.yaml", "-o", "toy")
    assert compiled.code == 0, compiled.err
    assert judged(in_folder, tailc, log()).code == 0
    ended = tailc("verify", "toy.tailc", "--trace", "new.csv")
    assert ended.code == 65
    assert "is a log of demands without the class of each request" in ended.err
    assert "help: `--drift` accepts this log; for a replay" in ended.err
