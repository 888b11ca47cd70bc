"""Machines made of measured rows."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tailc.models.cpu_shares.recorded_machines import fit_machine, machines_of
from tests.tailc.verify.throughput.judge_case import STEP_US, series


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


def without_work(rows, part):
    """The rows, of which a part did little, since no more requests waited."""
    has_work = np.arange(len(rows.throughput)) % 5 >= part
    return dataclasses.replace(
        rows, throughput=np.where(has_work, rows.throughput, 0.5), has_work=has_work
    )


@pytest.mark.parametrize("part", [1, 2, 3])
def test_steps_without_work_offer_what_was_done_and_say_nothing_of_the_share(part):
    """Without noise, a step after one with work follows t = 0.4 before + 30 share exactly."""
    machine = fit_machine(without_work(series("one", 0.0, 30.0, 0.0), part), STEP_US)
    assert machine is not None
    assert (machine.a, machine.b) == pytest.approx((0.0, 30.0), abs=1e-9)
    ran_out = np.arange(1, 200) % 5 < part
    assert machine.ran_out.tolist() == ran_out.tolist()
    assert (machine.offered[ran_out] == 0.5).all()
    assert np.isinf(machine.offered[~ran_out]).all()
    assert (machines_of([machine]).is_reported[0] == ran_out).all()


def test_under_the_measured_shares_a_machine_without_work_does_what_was_measured():
    rows = without_work(series("one", 0.4, 30.0, 0.1), 2)
    machine = fit_machine(rows, STEP_US)
    assert machine is not None
    plant, now, told = machines_of([machine]), machine.start, []
    for k, share in enumerate(machine.share):
        could = (machine.a * now + machine.b * share) * plant.disturbed[0, k]
        now = min(could, plant.offered[0, k])
        told.append(now)
    assert told == pytest.approx(rows.throughput[1:].tolist(), rel=1e-12)


def test_a_machine_that_never_had_work_offers_what_it_did():
    rows = series("one", 0.4, 30.0, 0.1)
    idle = dataclasses.replace(rows, has_work=np.zeros(200, np.bool_))
    machine = fit_machine(idle, STEP_US)
    assert machine is not None
    assert machine.offered.tolist() == rows.throughput[1:].tolist()
    assert machine.ran_out.all()


def test_a_dead_machine_whose_requests_wait_is_not_reported_to_have_none():
    rows = series("one", 0.4, 30.0, 0.1)
    dead = dataclasses.replace(rows, throughput=np.random.default_rng(7).uniform(0, 0.1, 200))
    machine = fit_machine(dead, STEP_US)
    assert machine is not None
    assert not machine.ran_out.any()
