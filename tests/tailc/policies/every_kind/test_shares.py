"""Every kind that emits CPU shares: their sums, steps, verdicts and differences."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from tailc.artifact.files import write_policy
from tailc.diff.throughput import throughput_change
from tailc.experiment.block_means import MeanError
from tailc.experiment.options import VerifyOptions
from tailc.experiment.recorded_periods import recorded_periods
from tailc.forms import shares_step
from tailc.forms.shares import Shares
from tailc.forms.tail_table import PPM
from tailc.studies.held_out_rows import read_held_out_rows
from tailc.units import plain_ppm


@pytest.fixture
def shares(compiled) -> Shares:
    found = compiled.policy.shares
    if found is None:
        pytest.skip(f"kind `{compiled.policy.kind}` emits no shares")
    return found


def test_shares_never_add_up_to_more_than_the_host(compiled, shares):
    rows = read_held_out_rows(compiled.policy, str(compiled.case.held_out))
    outcome = recorded_periods(shares, rows).outcome
    granted = np.rint(outcome.share * PPM).sum(axis=0) + np.rint(outcome.batch_share * PPM)
    assert (granted <= shares.host_ppm).all()
    assert (np.rint(outcome.share * PPM) >= shares.least_ppm).all()


def test_verify_gives_the_same_verdict_on_throughput_twice(compiled, shares, tailc):
    words = (compiled.stem, "--trace", compiled.case.held_out, "--replicates", "60")
    outcomes = [tailc("verify", *words) for _ in range(2)]
    assert outcomes[0] == outcomes[1]
    assert outcomes[0].code in (0, 1, 4)


def test_the_command_line_steps_shares_as_the_library_does(compiled, shares, tailc):
    state = shares_step.first_state(shares)
    rates = [(machine.target_milli or 0) * 9 // 10 for machine in shares.served_machines]
    for _ in range(shares_step.lag_ticks(shares)):
        state = shares_step.tick(shares, state, [rate / 1000 for rate in rates])
    rates_text = ",".join(f"{rate}/s" for rate in (plain_ppm(rate * 1000) for rate in rates))
    words = ("--throughput", rates_text, "--output-format", "json")
    machines = json.loads(tailc("lookup", compiled.stem, *words).out)["result"]["machines"]
    assert [machine["granted_ppm"] for machine in machines] == list(state.granted_ppm)


def test_a_diff_with_itself_changes_no_throughput(compiled, shares):
    rows = read_held_out_rows(compiled.policy, str(compiled.case.held_out))
    change = throughput_change(compiled.policy, compiled.policy, rows, VerifyOptions())
    assert len(change.machines) == len(shares.served_machines)
    assert {machine.change for machine in change.machines} == {MeanError(0, 0, 0)}


def test_a_diff_with_slower_steps_compares_throughput(compiled, shares, tailc, tmp_path):
    slower = dataclasses.replace(shares, pole_ppm=900_000)
    write_policy(dataclasses.replace(compiled.policy, forms=(slower,)), tmp_path / "slower")
    words = ("--trace", compiled.case.held_out, "--exit-code", "--output-format", "json")
    ended = tailc("diff", compiled.stem, tmp_path / "slower", *words)
    assert ended.code == 2
    result = json.loads(ended.out)["result"]
    assert [change["what"] for change in result["forms"]["shares"]]
    names = [machine["name"] for machine in result["throughput"]["machines"]]
    assert names == [machine.name for machine in shares.served_machines]
