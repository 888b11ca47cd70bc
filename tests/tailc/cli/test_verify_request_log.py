"""verify --measured with the demand log of a scheduler: which part of the model is off."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from tailc.artifact.files import read_policy
from tailc.experiment.experiment import Experiment
from tailc.experiment.scenario import Scenario
from tailc.models.arrivals import Poisson
from tailc.models.subjects import subject_of
from tailc.studies.held_out import read_held_out
from tailc.traces.histogram import MAX_NS
from tests.tailc.cli.json_schemas import OUTPUT
from tests.tailc.cli.test_verify_measured import SCHEMA
from tests.tailc.cli.verify_case import QUICK, trace
from tests.tailc.schemas import validate

HEADER = "demand_us,weight,class,arrival_us,wait_us,run_us,thread_us,granted_us,late_us"
REQUESTS = 4_000
LONGEST_US = MAX_NS // 2_000


def write_log(path, rows, header=HEADER):
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows), ""]))


def rows_of(folder, speedup=1.0, worked=1.0, late=0.0, granted=1.0):
    """The log of a server that executes the policy, except that its threads add less, or that they
    are granted, that they work or that ticks are late for parts of the time."""
    policy = read_policy(str(folder / "toy.tailc"))
    (folder / "requests.csv").write_text(trace(3, REQUESTS))
    served = read_held_out(policy, str(folder / "requests.csv")).profile
    subject = subject_of(policy, served)
    load = subject.workload(served)
    load = replace(load, speed=load.speed[:, :1] + speedup * (load.speed - load.speed[:, :1]))
    scenario = Scenario(load, Poisson(10_000), REQUESTS, REQUESTS, 77)
    with ThreadPoolExecutor(1) as workers:
        ((one, outcome),) = Experiment(scenario, 1, 0, workers).outcomes(subject)
    chosen = outcome.measured
    run_us = (outcome.latency_ns - outcome.wait_ns)[chosen] // 1_000
    others_us = outcome.thread_ns[chosen] / 1e3 - run_us
    granted_us = np.rint(run_us + granted * others_us).astype(int)
    thread_us = np.rint(run_us + worked * (granted_us - run_us)).astype(int)
    columns = (
        load.work_ns[one.order[chosen]] // 1_000,
        np.ones_like(run_us),
        np.full(len(run_us), ""),
        outcome.arrival_ns[chosen] // 1_000,
        outcome.wait_ns[chosen] // 1_000,
        run_us,
        thread_us,
        granted_us,
        np.rint(late * run_us).astype(int),
    )
    by_exit = np.argsort((outcome.arrival_ns + outcome.latency_ns)[chosen])
    return list(zip(*(column[by_exit].tolist() for column in columns), strict=True))


@pytest.fixture(scope="module")
def folder(_judged_toy, tmp_path_factory):
    folder = shutil.copytree(_judged_toy, tmp_path_factory.mktemp("logged") / "toy")
    write_log(folder / "log.csv", rows_of(folder))
    return folder


@pytest.fixture
def served(folder, copied):
    """A policy, and `log.csv` of a server that follows the model."""
    return copied(folder)


def judged(tailc, *options, measured="log.csv", rate="10/s"):
    words = ("--trace", "log.csv", *QUICK, "--rate", rate, "--measured", measured)
    return tailc("verify", "toy.tailc", *words, *options)


def result_of(tailc, **given):
    document = json.loads(judged(tailc, "--output-format", "json", **given).out)
    validate(document, OUTPUT)
    validate(document["result"], SCHEMA)
    return document["result"]


def test_a_server_that_follows_the_model_deviates_in_nothing(served, tailc):
    result = result_of(tailc)
    assert result["deviating"] == []
    execution = result["execution"]
    assert execution["thread_time_us"] == pytest.approx(
        execution["predicted_thread_time_us"], rel=0.03
    )
    assert (execution["late_ppm"], execution["worked_ppm"]) == (0, 1_000_000)
    assert not result["arrivals"]["has_other_rate"]
    rows = [line.split(",") for line in (served / "log.csv").read_text().splitlines()[1:]]
    assert result["measured"]["requests"] == len(rows)
    latencies = sorted(int(row[4]) + int(row[5]) for row in rows)
    ppm = result["slos"][0]["slo"]["percentile_ppm"]
    measured = result["slos"][0]["measured"]["estimate_us"]
    assert measured == pytest.approx(latencies[-(-len(rows) * ppm // 10**6) - 1], rel=6e-4)


@pytest.mark.parametrize(
    ("planted", "part", "remark"),
    [
        ({"speedup": 0.2}, "speed-ups", "measure the speed-ups again, under load"),
        ({"speedup": 0.2, "worked": 0.5}, "second-threads", "beyond the first worked for 50% of"),
        ({"granted": 0.5, "late": 0.6}, "ticks", "during 60% of the run time of requests"),
        ({"speedup": 0.2, "late": 0.6}, "speed-ups", "measure the speed-ups again"),
        ({"speedup": 1.5, "late": 0.6}, "speed-ups", "measure the speed-ups again"),
    ],
    ids=[
        *("speed-ups", "second threads", "late ticks", "late ticks on the last rung"),
        "late ticks of a faster server",
    ],
)
def test_the_part_that_deviates_is_named(served, tailc, planted, part, remark):
    write_log(served / "log.csv", rows_of(served, **planted))
    assert result_of(tailc)["deviating"] == [part]
    assert remark in " ".join(judged(tailc).out.split())


@pytest.mark.parametrize("column", [6, 8], ids=["threads that idle", "late ticks"])
def test_what_changes_no_thread_time_is_not_named(served, tailc, column):
    """Threads idle at the ends of requests, and ticks may be late where no request climbs."""
    rows = [list(row) for row in rows_of(served)]
    for row in rows:
        row[column] = row[5]
    write_log(served / "log.csv", rows)
    assert result_of(tailc)["deviating"] == []


def test_the_threads_of_other_demands_are_not_compared(served, tailc):
    rows = [(2 * int(row[0]), *row[1:]) for row in rows_of(served)]
    write_log(served / "other.csv", rows)
    assert result_of(tailc, measured="other.csv")["execution"] is None


def test_a_log_has_the_measure_of_the_compile(served, tailc):
    """A log does not state whether its demands are processor time."""
    spec = (served / "toy.yaml").read_text().replace("demand-busy", "demand-cpu")
    (served / "toy.yaml").write_text(spec)
    assert tailc("compile", "toy.yaml", "-o", "toy").code == 0
    assert "TC0602" not in judged(tailc).err


def test_a_sample_of_the_requests_has_no_arrivals(served, tailc):
    write_log(served / "log.csv", [(row[0], 7, *row[2:]) for row in rows_of(served)])
    result = result_of(tailc)
    assert result["arrivals"] is None
    assert result["execution"] is not None


def test_a_sample_under_another_rate_has_no_part_to_name(served, tailc):
    """The server follows the model, but at 10/s, not 40/s, so requests have more threads."""
    write_log(served / "log.csv", [(row[0], 7, *row[2:]) for row in rows_of(served)])
    result = result_of(tailc, rate="40/s")
    assert result["execution"]["has_other_thread_time"]
    assert result["deviating"] == []
    said = " ".join(judged(tailc, rate="40/s").out.split())
    assert "the log is a sample of the requests, so their arrivals" in said
    assert "speed-ups:" not in said


def test_one_request_has_a_latency_and_no_arrivals(served, tailc):
    row = rows_of(served)[0]
    write_log(served / "one.csv", [row])
    result = result_of(tailc, measured="one.csv")
    assert result["measured"]["requests"] == 1
    assert result["arrivals"] is None


def test_the_longest_latency_is_read(served, tailc):
    rows = [(*row[:4], LONGEST_US, LONGEST_US, *row[6:]) for row in rows_of(served)[:300]]
    write_log(served / "long.csv", rows)
    for slo in result_of(tailc, measured="long.csv")["slos"]:
        assert slo["measured"]["estimate_us"] == pytest.approx(2 * LONGEST_US, rel=1e-3)


def test_a_few_requests_have_no_thread_time_to_compare(served, tailc):
    write_log(served / "log.csv", rows_of(served)[:299])
    assert result_of(tailc)["execution"] is None


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (lambda rows: [*rows, rows[0]], 65, "the server started again"),
        (lambda rows: [*rows, (*rows[0][:5], -1, *rows[0][6:])], 65, "is negative"),
        (lambda rows: [*rows, (0, *rows[0][1:])], 65, "is not positive"),
        (lambda rows: [*rows, (*rows[0][:4], LONGEST_US + 1, *rows[0][5:])], 65, "is above"),
        (lambda rows: [*rows, (*rows[0][:8], "late")], 65, "is not a number"),
    ],
    ids=["two starts", "a negative time", "no demand", "53 days", "no number"],
)
def test_a_bad_row_of_a_log_is_an_error_with_its_place(served, tailc, change, code, message):
    rows = rows_of(served)
    write_log(served / "bad.csv", change(rows))
    ended = judged(tailc, measured="bad.csv")
    assert ended.code == code
    assert message in ended.err
    assert f"bad.csv:{len(rows) + 2}" in ended.err


@pytest.mark.parametrize(
    "options",
    [("--measured-column", "run_us"), ("--measured-unit", "us"), ("--measured-arrivals", "a")],
)
def test_a_log_states_its_own_columns(served, tailc, options):
    ended = judged(tailc, *options)
    assert ended.code == 64
    assert "whose columns are known" in ended.err
