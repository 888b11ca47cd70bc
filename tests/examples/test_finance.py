"""The option server prices right, runs requests where it should, and its records can be read."""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tailc.forms.controller import Actuator, Controller, GainRow, first_state, output_ppm, step
from tests.examples.scripts import script

FOLDER = Path(__file__).parents[2] / "examples" / "finance"
REQUESTS = 5_000
# Of an estimate that is right, one in 15,000 is further off than so many standard deviations.
FAR = 4

binary = script(FOLDER / "binary.py")
workload = script(FOLDER / "workload.py")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if binary.compiler() is None:
        pytest.skip("this machine has no C++ compiler")
    return binary.build(tmp_path_factory.mktemp("finance") / "server")


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


def serve(server, tmp_path, policy, requests):
    file = tmp_path / "policy.txt"
    file.write_text(policy)
    core = min(os.sched_getaffinity(0))
    lines = [workload.as_line(each, 1e3 * number) for number, each in enumerate(requests)]
    return binary.run(server, "serve", lines, file, core, core, 1)


def busy_ms(said):
    words = said.split()
    return float(words[1]), float(words[2])


def test_a_request_that_never_climbs_stays_on_the_slow_core(server, tmp_path):
    table, said = serve(server, tmp_path, "never_climbs\n", workload.draw(1))
    slow_ms, fast_ms = busy_ms(said)
    assert (slow_ms > 0, fast_ms) == (True, 0)
    assert table["moved_after_ms"].to_pylist() == [-1]


def test_a_request_that_climbs_at_once_starts_on_the_fast_core(server, tmp_path):
    _, said = serve(server, tmp_path, "climb_us 0\n", workload.draw(1))
    slow_ms, fast_ms = busy_ms(said)
    assert (slow_ms, fast_ms > 0) == (0, True)


def test_every_request_is_served_once_though_they_wait_for_one_another(server, tmp_path):
    table, said = serve(server, tmp_path, "climb_us 5000\n", workload.draw(40))
    assert sorted(table["number"].to_pylist()) == list(range(40))
    assert min(busy_ms(said)) > 0


def test_a_policy_that_is_not_one_is_refused(server, tmp_path):
    for policy, wrong in (("climbs 5\n", "climbs"), ("gains 1 2\n", "gains")):
        with pytest.raises(SystemExit, match=wrong):
            serve(server, tmp_path, policy, workload.draw(1))


def test_the_server_s_controller_steps_as_the_form_says(server, tmp_path):
    gains = (GainRow(0, 40, 90, 5), GainRow(30_000, 20, 30, 0))
    limits = (1_000_000, 0, 1_000_000)
    law = Controller(Actuator.CLIMB_AGES, 990_000, 80_000, 100, 400, *limits, 24, gains)
    rng = np.random.default_rng(1)
    epochs = [(int(t), int(r)) for t, r in rng.integers((0, 1), (160_000, 60_000), (200, 2))]
    policy = tmp_path / "policy.txt"
    policy.write_text(
        "controller 990000 80000 100 400 1000000 0 1000000 24\ngains 0 40 90 5\n"
        "gains 30000 20 30 0\n"
    )
    file = tmp_path / "epochs.txt"
    file.write_text("".join(f"{measured} {rate}\n" for measured, rate in epochs))
    command = [server, "control", policy, file]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    state, wanted = first_state(law), []
    for measured_us, rate_mrps in epochs:
        state = step(law, state, measured_us, rate_mrps)
        wanted.append(str(output_ppm(law, state)))
    assert len(set(wanted)) > 100
    assert printed.split() == ["output_ppm", *wanted]


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
    assert sorted(runs) == sorted((rate, name) for rate in rates for name in ("EETL", "TL", "EE"))


def test_what_was_measured_is_of_as_many_requests_as_arrived_and_of_two_cores(measured):
    for run in measured["runs"]:
        assert run["requests"] == run["rate_per_s"] * measured["seconds"]
        for which in ("measured", "predicted", "replayed"):
            found = run[which]
            assert 0 < found["mean_ms"] < found["p95_ms"] <= found["p99_ms"]
            assert 0 <= found["slow_busy"] <= 1
            assert 0 <= found["fast_busy"] <= 1


def test_the_policies_do_what_they_are_for_measured_as_predicted(measured):
    """TL has the least mean and the most energy; EE the least, where nothing disturbs it."""
    for which in ("measured", "predicted", "replayed"):
        by_rate: dict[int, dict[str, dict[str, float]]] = {}
        for run in measured["runs"]:
            by_rate.setdefault(run["rate_per_s"], {})[run["policy"]] = run[which]
        for found in by_rate.values():
            assert found["TL"]["mean_ms"] < min(found["EETL"]["mean_ms"], found["EE"]["mean_ms"])
            energy = {name: one["energy_slow_core_ms"] for name, one in found.items()}
            assert max(energy["EE"], energy["EETL"]) < energy["TL"]
            assert which != "predicted" or energy["EE"] <= energy["EETL"]


def test_the_replay_is_near_what_was_measured_once_it_knows_the_cpu_times(measured):
    for run in measured["runs"]:
        for figure in ("p99_ms", "mean_ms"):
            assert run["replayed"][figure] == pytest.approx(run["measured"][figure], rel=0.1)


def test_the_readme_has_the_table_of_the_record(measured):
    experiment = script(FOLDER / "experiment.py")
    assert experiment.table(measured) in (FOLDER / "README.md").read_text()


def test_a_core_that_rests_half_of_the_time_was_about_twice_as_slow(measured):
    ratio = float(measured["slowdown"].split("all requests ")[1].split(";")[0])
    assert ratio == pytest.approx(2, rel=0.1)
