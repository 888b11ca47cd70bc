"""The search server's spec and script are right; a short run of all of it is behind `fuzz`."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from tailc_runtime import Schedule, open_policies

import tailc
from tailc.artifact.files import read_policy
from tailc.cli import run as cli
from tailc.pipeline.spec import open_kind
from tests.examples.scripts import script

FOLDER = Path(__file__).parents[2] / "examples" / "lucene-server"
JAVA = FOLDER / "src" / "main" / "java" / "dev" / "tailc" / "examples" / "lucene"

run = script(FOLDER / "run.py")
figures = run.figures
replays = run.replays


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """Timings of sixty held-out queries, 4 ms to 240 ms on one thread, and a policy of others."""
    folder = tmp_path_factory.mktemp("lucene-server")
    head = "query,degree,duration_ms,latency_ms,begin_ms,cpu_ms\n"
    for name, slower in (("design", 1.01), ("heldout", 1)):
        times = [(4.0 * (n + 1) * slower, 2.5 * (n + 1) * slower) for n in range(60)]
        rows = [
            f"{2 * n},1,{a},{a + 1},{a},{a}\n{2 * n},2,{b},{b + 1},{a / 20},{a}\n"
            for n, (a, b) in enumerate(times)
        ]
        (folder / f"{name}.csv").write_text(head + "".join(rows))
    run.write_spec(folder / "spec.yaml", cores=2, degrees=2)
    policy = tailc.compile_policy(str(folder / "spec.yaml")).policy
    tailc.write_artifact(policy, str(folder / "policy"))
    return folder


def test_the_policy_is_for_the_server_and_boosts_no_threads(out):
    policy = read_policy(out / "policy.tailc")
    (ladder,) = policy.ladders
    assert [rung.threads for rung in ladder.rungs] == [1, 2]
    assert ladder.boost is None
    assert policy.name == run.SERVICE
    assert f'SERVICE = "{policy.name}"' in (JAVA / "Server.java").read_text()


def test_a_class_of_the_fixed_policy_starts_at_once_on_its_number_of_threads(tmp_path):
    schedule = Schedule(open_policies(run.fixed.write_fixed("lucene-server", 3, tmp_path / "f")), 0)
    requests = [schedule.arrive(0, name) for name in (None, "1", "2", "3")]
    assert [request and request.threads for request in requests] == [1, 1, 2, 3]


def test_the_spec_is_that_of_the_machine(out, tmp_path):
    shutil.copy(out / "design.csv", tmp_path)
    run.write_spec(tmp_path / "spec.yaml", cores=6, degrees=2)
    spec = (tmp_path / "spec.yaml").read_text()
    assert "cores: 6, target_parallelism: 9.0" in spec
    assert "max_in_system: 24" in spec


def test_a_tuned_spec_asks_for_queues_at_the_rates_of_the_runs(tmp_path):
    spec = tmp_path / "spec.yaml"
    run.write_spec(spec, cores=2, degrees=2)
    run.tune_spec(spec, [20.0, 40.5], 1_000_000)
    read = open_kind(str(spec)).spec
    assert (read.rates_mrps, read.search.requests) == ((20_000, 40_500), 1_000_000)
    assert (read.search.method, read.server.age_clock) == ("simulation", "arrival")


def test_rates_are_what_one_thread_a_request_would_fill_the_cores_by(tmp_path):
    trace = tmp_path / "heldout.csv"
    rows = ("1,1,30,31", "1,2,20,21", "3,1,50,51", "3,2,30,31")
    trace.write_text("\n".join(("query,degree,duration_ms,latency_ms", *rows)))
    # Requests of 40 ms: two cores do 50 a second.
    assert run.rates_of(trace, (0.2, 0.5), cores=2) == [10, 25]


@pytest.mark.parametrize("factor", [1, 1.5])
def test_requests_that_never_meet_take_their_time_alone_scaled_by_their_cpu_time(out, factor):
    rows = [run_row(2 * n, due_us=1_000_000 * n, cpu_ms=factor * 4.0 * (n + 1)) for n in range(60)]
    for name, ms in (("SEQ", 4.0 * factor), ("FIX-2", 2.5 * factor)):
        replayed = replays.replayed(out / "policy.tailc", out / "heldout.csv", rows, name)
        assert replayed.p50_ms.value == pytest.approx(30 * ms)
        assert replayed.p99_ms.value == pytest.approx(60 * ms)
        assert replayed.mean_ms.value == pytest.approx(30.5 * ms)


def run_row(query, *, due_us, cpu_ms):
    return {"query": str(query), "due_us": str(due_us), "cpu_ms": str(cpu_ms)}


def test_the_serial_shares_leave_what_two_threads_had_of_the_cores(out):
    # 4 ms on one thread take 2.5 ms on two, and 4 ms of CPU time: 1.5 ms of both, 1 ms of one
    shares = run.serial_shares(out / "design.csv")
    assert shares == {"start": "5.0%", "end": "20.0%"}


def test_serial_parts_make_requests_that_meet_shorter(out):
    shutil.copy(out / "spec.yaml", out / "serial.yaml")
    run.state_serial(out / "serial.yaml", {"start": "5.0%", "end": "20.0%"})
    policy = tailc.compile_policy(str(out / "serial.yaml")).policy
    tailc.write_artifact(policy, str(out / "serial"))
    rows = [run_row(118, due_us=1, cpu_ms=240.0)] * 2
    # 12 ms of 240 begin alone, 48 end alone; between, four threads on two cores do 180 of each
    told = replays.replayed(out / "serial.tailc", out / "heldout.csv", rows, "FIX-2")
    assert told.p99_ms.value == pytest.approx(12 + 180 + 48)
    parts = {"has_serial": False}
    told = replays.replayed(out / "serial.tailc", out / "heldout.csv", rows, "FIX-2", **parts)
    assert told.p99_ms.value == pytest.approx(2 * 150)


def test_cpu_times_are_means_in_the_order_of_first_rows(tmp_path):
    trace = tmp_path / "trace.csv"
    trace.write_text("query,degree,duration_ms,cpu_ms\n7,2,1,1\n3,1,1,5\n7,1,1,2\n")
    assert list(replays.cpu_times_ms(trace).items()) == [("7", 1.5), ("3", 5.0)]


def test_what_verify_predicts_is_found_by_rate_and_policy(out, monkeypatch):
    monkeypatch.setattr(run, "tailc", in_this_process)
    told = run.verified("FM", out / "policy.tailc", out / "heldout.csv", [1.0, 2.0])
    assert set(told) == {(at, name) for at in (1.0, 2.0) for name in ("SEQ", "FIX-2", "FM")}
    alone = told[1.0, "SEQ"]
    assert alone.mean_ms.value == pytest.approx(30.5 * 4, rel=0.1)
    assert alone.utilization.value == pytest.approx(0.061, rel=0.1)
    assert alone.p50_ms.low < alone.p50_ms.value < alone.p50_ms.high


def in_this_process(*words, allowed):
    few = ("--requests", "4000", "--replicates", "49")
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        assert cli([*map(str, words), *few]) in allowed
    return told.getvalue()


def test_what_was_measured_has_intervals():
    told = figures.at_client(sent_rows(), SAMPLES, cores=2)
    assert (told.p50_ms.value, told.p99_ms.value, told.mean_ms.value) == (50, 99, 50.5)
    # Every second has the same hundred latencies, so nothing is left to chance.
    assert (told.mean_ms.low, told.mean_ms.high) == (50.5, 50.5)
    assert told.utilization.value == pytest.approx(1.5 / 2.5 / 2)
    assert told.utilization.low < told.utilization.value < told.utilization.high


def test_in_the_server_a_latency_is_what_a_request_waited_and_ran():
    told = figures.in_server(sent_rows(), SAMPLES, cores=2)
    assert (told.p50_ms.value, told.p99_ms.value, told.mean_ms.value) == (49, 98, 49.5)
    assert told.utilization.value == pytest.approx(1.0 / 2.5 / 2)


SAMPLES = figures.Samples(
    at_s=np.array([0.0, 1.0, 2.0, 2.5]),
    requests_s=np.array([4.0, 4.5, 4.5, 5.0]),
    all_s=np.array([5.0, 6.0, 6.0, 6.5]),
)


def sent_rows():
    """A hundred a second, that wait for 0.5 ms, run for 0.5 to 98.5 ms, and are 1 ms on the way."""
    return [
        {
            "due_us": str(10_000 * n),
            "latency_us": str(1_000 * (n % 100 + 1)),
            "wait_ms": "0.5",
            "run_ms": str(n % 100 - 0.5),
        }
        for n in range(900)
    ]


def test_the_table_tells_how_far_predicted_tails_are_off():
    def of_p99(ms):
        return figures.Run(*(figures.Figure(value) for value in (1, ms, 1, 0.5)))

    times = {"predicted": 45, "replayed": 50, "measured": 50, "at the client": 60}
    of_one = {which: of_p99(ms) for which, ms in times.items()}
    of_other = {**of_one, "predicted": of_p99(60)}
    told = figures.table({(9.0, "SEQ"): of_one, (9.0, "FM"): of_other})
    assert "| 9/s | SEQ | predicted | 1.0 | 45.0 | 1.0 | 50 % | -10 % |" in told
    assert "|  |  | replayed | 1.0 | 50.0 | 1.0 | 50 % | +0 % |" in told
    assert "|  |  | measured | 1.0 | 50.0 | 1.0 | 50 % |  |" in told
    assert "p99 predicted: off by 15 % in the median, 20 % at most." in told
    assert told.endswith("p99 replayed: off by 0 % in the median, 0 % at most.")


def test_a_request_without_an_answer_ends_the_comparison(tmp_path):
    path = tmp_path / "SEQ-10.csv"
    path.write_text("query,due_us,latency_us,status\n1,5,9,200\n3,6,9,500\n")
    with pytest.raises(SystemExit, match="1 of 2 requests have no answer"):
        figures.sent(path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--corpus", "/no/such/folder"], "`/no/such/folder` is no folder"),
        (["--degrees", "1"], "two threads"),
        (["--cores", "0"], "`--cores 0` is not 1 to"),
        (["--policy", "FM=spec.yaml"], "`FM` is no new name"),
        (["--policy", "TUNED=spec.yaml"], "`TUNED` is no new name"),
        (["--policy", "other=/no/such/file"], "`/no/such/file` is no file"),
    ],
)
def test_a_wrong_command_line_is_refused(words, said, capsys):
    with pytest.raises(SystemExit):
        run.parsed(words)
    assert said in capsys.readouterr().err


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """The folder of a short run of the whole story, and what it printed."""
    for tool in ("java", "mvn"):
        if shutil.which(tool) is None:
            pytest.skip(f"this machine has no `{tool}`")
    folder = tmp_path_factory.mktemp("quick")
    command = [sys.executable, FOLDER / "run.py", "--quick", "--out", folder, "--seconds", "8"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


@pytest.mark.fuzz
def test_a_quick_run_serves_as_the_policy_says(quick):
    folder, printed = quick
    found = json.loads((folder / "found.json").read_text())["runs"]
    assert [one["policy"] for one in found] == ["SEQ", "FIX-2", "FM", "TUNED"]
    assert all({"predicted", "replayed", "measured"} <= set(one) for one in found)
    assert all(f"{one['policy']} " in printed for one in found)
    rate = f"{found[0]['rate_per_s']:g}"
    assert threads_of(folder / f"SEQ-{rate}.csv") == {1}
    assert threads_of(folder / f"FIX-2-{rate}.csv") == {2}
    least_ms = least_climb_ms(folder / "FM.tailc")
    for row in rows_of(folder / f"FM-{rate}.csv"):
        served_ms = float(row["wait_ms"]) + float(row["run_ms"])
        assert row["threads"] == "1" or served_ms >= least_ms


@pytest.mark.fuzz
def test_a_policy_of_another_service_changes_nothing(quick, out, tmp_path):
    folder, _ = quick
    (index,) = folder.glob("index-*")
    built = run.programs.Programs(folder / "maven", cores=1)
    served = run.fixed.write_fixed(run.SERVICE, 2, tmp_path / "served")
    with run.programs.serving(built, index, served) as server:
        server.open_policy(out / "policy.tailc")
        with pytest.raises(SystemExit, match="the policy is for `search`"):
            server.open_policy(FOLDER.parent / "search" / "expected.tailc")
        with urllib.request.urlopen(f"{server.url}/search?q=import") as answer:
            assert json.load(answer)["matches"] > 0
        with urllib.request.urlopen(f"{server.url}/metrics") as metrics:
            assert "tailc_refused_reloads_total 1" in metrics.read().decode()


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def threads_of(path):
    return {int(row["threads"]) for row in rows_of(path)}


def least_climb_ms(path):
    rows = read_policy(path).ladders[0].rows
    return min(climb.age_us for row in rows for climb in row.climbs if climb.rung == 1) / 1e3


def test_the_page_has_the_table_of_the_record():
    record = (FOLDER / "measured.json").read_text()
    runs = figures.from_json(record)
    page = (FOLDER.parents[1] / "docs" / "fidelity.md").read_text()
    rows = [line for line in figures.table(runs).splitlines() if line.startswith("|")]
    assert "\n".join(rows) in page[page.index("## A search server") :]
    assert len(rows) == 2 + sum(len(found) for found in runs.values())
    assert f"A run lasts {json.loads(record)['seconds']:g} s" in page
