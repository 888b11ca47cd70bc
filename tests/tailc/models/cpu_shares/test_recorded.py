"""Machines made of measured rows."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tailc.models.cpu_shares.recorded import fit_machine, machines_of
from tests.tailc.verify.throughput.test_judge import STEP_US, series


def test_under_the_measured_shares_the_machine_does_what_was_measured():
    rows = series("one", 0.4, 30.0, 0.1)
    machine = fit_machine(rows, STEP_US)
    assert machine is not None
    plant = machines_of([machine])
    now, told = plant.start[0], []
    for k, share in enumerate(machine.share):
        now = (plant.a[0, k] * now + plant.b[0, k] * share) * plant.disturbed[0, k]
        told.append(now)
    assert told == pytest.approx(rows.throughput[1:].tolist(), rel=1e-12)


def test_a_machine_whose_share_never_changed_is_taken_to_be_proportional():
    rows = dataclasses.replace(series("one", 0.0, 30.0, 0.05), share=np.full(200, 0.3))
    machine = fit_machine(rows, STEP_US)
    assert machine is not None
    assert machine.a == 0
    assert machine.b == pytest.approx(float(rows.throughput[1:].mean()) / 0.3)


def test_a_machine_whose_throughput_does_not_follow_its_share_had_no_more_work():
    """It does 6 to 8 a second at any share."""
    rows = series("one", 0.4, 30.0, 0.1)
    throughput = np.random.default_rng(7).uniform(6.0, 8.0, len(rows.throughput))
    machine = fit_machine(dataclasses.replace(rows, throughput=throughput), STEP_US)
    assert machine is not None
    assert machine.offered.tolist() == throughput[1:].tolist()
    assert machine.a == 0
    assert machine.b == pytest.approx(float((throughput[1:] / rows.share[1:]).max()))
    assert machine.most == pytest.approx(7.0, rel=0.05)


def test_work_waits_all_the_time_where_throughput_follows_the_share():
    machine = fit_machine(series("one", 0.4, 30.0, 0.1), STEP_US)
    assert machine is not None
    assert np.isinf(machine.offered).all()
