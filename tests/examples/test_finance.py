"""The option server prices right, runs requests where it should, and its records can be read."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.artifact.flat_form import encode_flat
from tailc.forms.controller import GainRow, first_state, output_ppm, scaled_ladder, step
from tailc.forms.ladder.lookup import lookup
from tailc.forms.ladder.table import Climb, Rule
from tests.examples.scripts import script

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "finance"
REQUESTS = 5_000
# Of an estimate that is right, one in 15,000 is further off than so many standard deviations.
FAR = 4

binary = script(FOLDER / "binary.py")
workload = script(FOLDER / "workload.py")
policies = script(FOLDER / "policies.py")
fidelity = script(FOLDER / "fidelity.py")
tables = script(FOLDER / "measured_tables.py")
compared = policies.policies(read_policy(FOLDER / "expected.tailc"))


def wilder(policy):
    """With a derivative in the gains too, which the compiled policy does not need."""
    gains = (GainRow(0, 9_000_000, 9_000_000, 700_000), GainRow(30_000, 60_000_000, 40_000_000, 0))
    return replace(policy, forms=(*policy.ladders, replace(policy.controller, gains=gains)))


@pytest.fixture(scope="module")
def steered(tmp_path_factory):
    policy = wilder(compared["EETL"])
    return policy, write_policy(policy, tmp_path_factory.mktemp("policy") / "steered")[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory, steered):
    if binary.compiler() is None:
        pytest.skip("this machine has no C++ compiler")
    return binary.build(tmp_path_factory.mktemp("finance") / "server", steered[1])


def prices(server, requests):
    table, _ = binary.run(server, "price", (workload.as_line(each) for each in requests))
    return table.to_pylist()


def one_date(strike, volatility, years):
    return workload.Request(100.0, strike, 0.05, volatility, years, 1, 100, 1)


def daily(strike, seed):
    return workload.Request(100.0, strike, 0.03, 0.3, 1.0, 252, 2_000, seed)


def test_the_simulated_price_on_the_geometric_mean_is_the_closed_one(server):
    requests = [daily(strike, seed) for seed, strike in enumerate((80.0, 90.0, 100.0, 110.0) * 5)]
    for price in prices(server, requests):
        assert price["geometric_error"] > 0
        off = price["geometric"] - price["geometric_closed_form"]
        assert abs(off) <= FAR * price["geometric_error"]


def test_an_option_with_one_date_is_a_plain_call(server):
    """Black and Scholes (1973), through another form of the normal distribution."""
    normal = statistics.NormalDist()
    cases = [(100.0, 0.3, 1.0), (90.0, 0.2, 0.5), (120.0, 0.5, 2.0)]
    found = prices(server, [one_date(*case) for case in cases])
    for (strike, volatility, years), price in zip(cases, found, strict=True):
        spread = volatility * math.sqrt(years)
        d1 = (math.log(100 / strike) + 0.05 * years) / spread + spread / 2
        owed = strike * math.exp(-0.05 * years) * normal.cdf(d1 - spread)
        assert price["geometric_closed_form"] == pytest.approx(100 * normal.cdf(d1) - owed)
        # On one date both means are the price itself.
        assert price["arithmetic"] == pytest.approx(price["geometric_closed_form"])


def test_the_arithmetic_mean_is_worth_more_than_the_geometric(server):
    for price in prices(server, [daily(strike, 7) for strike in (80.0, 100.0, 120.0)]):
        assert price["arithmetic"] > price["geometric_closed_form"]


def serve(server, policy, requests, every_ms=1):
    core = min(os.sched_getaffinity(0))
    lines = [
        workload.as_line(each, 1e3 * every_ms * number) for number, each in enumerate(requests)
    ]
    return binary.run(server, "serve", lines, policy, core, core, 1)


@pytest.fixture
def file_of(tmp_path):
    return lambda policy: write_policy(policy, tmp_path / "policy")[1]


def busy_ms(said):
    words = said.split()
    return float(words[1]), float(words[2])


def test_a_request_that_never_climbs_stays_on_the_slow_core(server, file_of):
    table, said = serve(server, file_of(compared["EE"]), workload.draw(1))
    slow_ms, fast_ms = busy_ms(said)
    assert (slow_ms > 0, fast_ms) == (True, 0)
    assert table["moved_after_ms"].to_pylist() == [-1]


def test_a_request_that_climbs_at_once_starts_on_the_fast_core(server, file_of):
    _, said = serve(server, file_of(compared["TL"]), workload.draw(1))
    slow_ms, fast_ms = busy_ms(said)
    assert (slow_ms, fast_ms > 0) == (0, True)


def test_a_core_that_rests_half_of_the_time_takes_twice_as_long(server):
    """Others that want the core can only add to that."""
    lines = [workload.as_line(each) for each in workload.draw(30)]
    core = min(os.sched_getaffinity(0))
    times, _ = binary.run(server, "alone", lines, core, 2)
    assert sum(times["wall_ms"].to_pylist()) >= 1.97 * sum(times["cpu_ms"].to_pylist())


def test_every_request_is_served_once_though_they_wait_for_one_another(server):
    table, said = serve(server, "embedded", workload.draw(40))
    assert sorted(table["number"].to_pylist()) == list(range(40))
    assert min(busy_ms(said)) > 0


def test_a_policy_that_is_not_for_this_server_is_refused(server, tmp_path):
    threads = read_policy(ROOT / "schemas" / "vectors" / "v1" / "lucene.tailc")

    def written(policy):
        return write_policy(policy, tmp_path / policy.name)[1]

    damaged = tmp_path / "damaged.tailc"
    damaged.write_bytes(encode_flat(compared["EE"])[:-1] + b"?")
    for policy, wrong in (
        (written(threads), "for `lucene`"),
        (written(replace(threads, name="finance")), "rungs of the policy are not cores"),
        (damaged, "damaged"),
    ):
        with pytest.raises(SystemExit, match=wrong):
            serve(server, policy, workload.draw(1))


def test_a_tuned_policy_goes_by_the_number_in_the_system(server, file_of):
    """With one in the system a request stays on the slow core; with two both want the fast one."""
    ladder = compared["EETL"].ladders[0]
    (row,) = ladder.rows
    rows = (
        replace(row, last_load=1, climbs=(Climb(0, policies.SLOW),)),
        replace(row, first_load=2, climbs=(Climb(0, policies.FAST),)),
    )
    rules = tuple(sorted((*ladder.rules, Rule.REREAD_ROW), key=lambda rule: rule.value))
    tuned = replace(compared["EE"], forms=(replace(ladder, rows=rows, rules=rules),))
    assert policies.policies(compared["EETL"], tuned)["TUNED"] == tuned
    alone, said = serve(server, file_of(tuned), workload.draw(1))
    assert (alone["ended_on"].to_pylist(), busy_ms(said)[1]) == ([policies.SLOW], 0)
    _, said = serve(server, file_of(tuned), workload.draw(2), every_ms=0)
    assert busy_ms(said)[1] > 0


def test_a_policy_that_is_written_while_the_server_runs_holds_for_what_comes_then(server, file_of):
    """The file is looked at once a second."""
    swap = threading.Timer(0.8, lambda: file_of(replace(compared["TL"], generation=2)))
    before = file_of(compared["EE"])
    swap.start()
    table, _ = serve(server, before, workload.draw(3), every_ms=1_200)
    swap.join()
    ended_on = dict(zip(table["number"].to_pylist(), table["ended_on"].to_pylist(), strict=True))
    assert (ended_on[0], ended_on[2]) == (policies.SLOW, policies.FAST)


def test_file_and_embedded_source_answer_as_the_forms_do(server, steered, tmp_path):
    policy, file = steered
    rng = np.random.default_rng(1)
    state, questions, wanted = first_state(policy.controller), [], []
    for _ in range(200):
        measured_us, rate_mrps = map(int, rng.integers((30_000, 1), (110_000, 60_000)))
        state = step(policy.controller, state, measured_us, rate_mrps)
        output = output_ppm(policy.controller, state)
        questions.append(f"step {measured_us} {rate_mrps}")
        wanted.append(str(output))
        for _ in range(3):
            asked = [int(one) for one in rng.integers((0, 0, 0), (5, 20_000, 40_000))]
            rung = lookup(scaled_ladder(policy.ladders[0], output), *asked).rung
            questions.append("look " + " ".join(map(str, asked)))
            wanted.append(policy.ladders[0].rungs[rung].core_type)
    assert len({one for one in wanted if one.isdigit()}) > 50
    assert min(wanted.count("slow"), wanted.count("fast")) > 100
    path = tmp_path / "questions.txt"
    path.write_text("".join(f"{question}\n" for question in questions))
    for source in (file, "embedded"):
        command = [server, "answers", source, path]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert printed.split() == ["answer", *wanted], source


def test_the_measured_files_have_every_request_once():
    parts = [pq.read_table(FOLDER / f"{name}.parquet") for name in ("design", "heldout")]
    ids = [set(part["request_id"].to_pylist()) for part in parts]
    assert ids[0] | ids[1] == set(range(REQUESTS))
    assert len(ids[0]) + len(ids[1]) == REQUESTS
    assert ids[1] == {number for number in range(REQUESTS) if workload.is_held_out(number)}
    for part in parts:
        assert min(part["cpu_ms"].to_pylist()) > 0
        assert min(part["spread"].to_pylist()) >= 1


def test_the_files_are_of_the_requests_that_are_drawn():
    drawn = workload.draw(REQUESTS)
    for name in ("design", "heldout"):
        for row in pq.read_table(FOLDER / f"{name}.parquet").to_pylist():
            request = drawn[row["request_id"]]
            assert (row["dates"], row["paths"]) == (request.dates, request.paths)


def test_demand_grows_with_the_paths_times_the_dates():
    table = pq.read_table(FOLDER / "design.parquet")
    work = table["dates"].to_numpy().astype(float) * table["paths"].to_numpy()
    assert np.corrcoef(work, table["cpu_ms"].to_numpy())[0, 1] > 0.99


def test_the_machine_is_on_record():
    machine = json.loads((FOLDER / "machine.json").read_text())
    assert machine["requests"] == REQUESTS
    assert machine["machine"]["cores"] >= 2


@pytest.fixture(scope="module")
def measured():
    return json.loads((FOLDER / "measured.json").read_text())


def test_the_experiment_ran_every_policy_at_every_rate(measured):
    runs = [(run["rate_per_s"], run["policy"]) for run in measured["runs"]]
    rates = {rate for rate, _ in runs}
    assert len(rates) >= 2
    names = {name for _, name in runs}
    assert {"EETL", "TL", "EE"} <= names <= {"EETL", "TUNED", "TL", "EE"}
    assert sorted(runs) == sorted((rate, name) for rate in rates for name in names)


def test_what_was_measured_is_of_as_many_requests_as_arrived_and_of_two_cores(measured):
    for run in (*measured["runs"], measured["embedded"]):
        assert run["requests"] == run["rate_per_s"] * measured["seconds"]
        for which in ("measured", "predicted", "replayed"):
            found = run[which]
            assert 0 < found["p50_ms"] < found["mean_ms"] < found["p95_ms"] <= found["p99_ms"]
            assert 0 <= found["slow_busy"] <= 1
            assert 0 <= found["fast_busy"] <= 1
            both = (found["slow_busy"] + found["fast_busy"]) / 2
            assert found["utilization"] == pytest.approx(both, abs=0.01)
            for name, (low, high) in found["intervals"].items():
                assert low <= found[name] <= high


def test_the_embedded_policy_was_sent_the_requests_that_the_file_s_was(measured):
    embedded = measured["embedded"]
    same = [
        run
        for run in measured["runs"]
        if (run["policy"], run["rate_per_s"]) == ("EETL", embedded["rate_per_s"])
    ]
    assert [run["predicted"] for run in same] == [embedded["predicted"]]


def test_the_controller_stepped_once_an_epoch_through_the_spike(measured):
    spike, law = measured["spike"], compared["EETL"].controller
    assert [phase["rate_per_s"] for phase in spike["phases"]] == [20, 60, 20]
    for steps in spike["steps"].values():
        assert len(steps) == spike["requests"] // law.epoch_requests
        times = [step["at_s"] for step in steps]
        assert times == sorted(times)


def test_the_controller_s_outputs_follow_from_what_it_was_told(measured):
    law = compared["EETL"].controller
    for steps in measured["spike"]["steps"].values():
        state = first_state(law)
        for one in steps:
            state = step(law, state, one["measured_us"], one["rate_mrps"])
            assert output_ppm(law, state) == one["output_ppm"]


def test_the_policies_do_what_they_are_for_measured_as_predicted(measured):
    """TL has the least mean and the most energy; EE the least, where nothing disturbs it.

    The host gives each run CPU times of its own, so energy is that of a millisecond of them.
    """
    for which in ("measured", "predicted", "replayed"):
        by_rate: dict[int, dict[str, dict[str, float]]] = {}
        for run in measured["runs"]:
            by_rate.setdefault(run["rate_per_s"], {})[run["policy"]] = run[which]
        for found in by_rate.values():
            assert found["TL"]["mean_ms"] < min(found["EETL"]["mean_ms"], found["EE"]["mean_ms"])
            energy = {
                name: one["energy_slow_core_ms"] / one["cpu_ms"] for name, one in found.items()
            }
            assert max(energy["EE"], energy["EETL"]) < energy["TL"]
            assert which != "predicted" or energy["EE"] <= energy["EETL"]


def test_the_replay_is_near_what_was_measured_once_it_knows_the_cpu_times(measured):
    for run in measured["runs"]:
        for figure in ("p99_ms", "mean_ms"):
            assert run["replayed"][figure] == pytest.approx(run["measured"][figure], rel=0.1)


def test_the_pages_have_the_tables_of_the_record(measured):
    told = tables.tables(measured)
    readme, page = (
        path.read_text() for path in (FOLDER / "README.md", ROOT / "docs" / "fidelity.md")
    )
    assert told["runs"] in readme
    for name in ("intervals", "phases", "steps", "errors"):
        assert told[name] in page


def test_an_interval_is_wider_where_seconds_differ_more():
    """By hand: of two seconds, each of equal latencies, both are drawn, or one of them twice."""
    arrival_us = np.array([0.0, 1e5, 1e6, 1.1e6])
    same, apart = (
        fidelity.summary(served(arrival_us, np.array(latency_ms)))
        for latency_ms in ([5.0, 5.0, 5.0, 5.0], [5.0, 5.0, 9.0, 9.0])
    )
    assert same["intervals"]["mean_ms"] == [5, 5]
    assert (apart["mean_ms"], apart["intervals"]["mean_ms"]) == (7, [5, 9])


def served(arrival_us, latency_ms):
    nothing = np.zeros(len(latency_ms))
    return fidelity.Served(arrival_us, latency_ms, latency_ms, nothing, nothing > 0, (1.0, 1.0))


def test_arrivals_come_at_the_rate_of_their_phase():
    arrivals = script(FOLDER / "arrivals.py")
    rows, arrival_us = arrivals.jumping(((20, 10), (60, 15), (20, 10)))
    assert len(rows) == len(arrival_us)
    counts = np.histogram(arrival_us, bins=[0, 10e6, 25e6, 35e6])[0]
    # Of a Poisson count, one in 15,000 is further off than four standard deviations.
    for count, due in zip(counts, (200, 900, 200), strict=True):
        assert abs(count - due) <= FAR * math.sqrt(due)
    assert (np.diff(arrival_us) >= 0).all()


def test_a_core_that_rests_half_of_the_time_was_about_twice_as_slow(measured):
    ratio = float(measured["slowdown"].split("all requests ")[1].split(";")[0])
    assert ratio == pytest.approx(2, rel=0.1)
