"""Numbers of malleable jobs that can be checked by hand, and what is no problem."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tailc_solvers.green.parallel.problem import (
    ParallelJob,
    ParallelProblem,
    Shape,
    moves_of,
    run_cost_of,
    thousandths,
    weighed_cost,
    whole,
)

JERSEY = 105_500
"""Micro-dollars for each kWh: 10.55 cents."""

ONE = Shape.from_counts(4, [1, 2, 4], [1_000, 1_900, 3_400])
JOB = ParallelJob((ONE,), 7_200_000_000, 2, 1_900, 1_100)
PROBLEM = ParallelProblem(
    length_s=whole([900] * 8),
    servers=50,
    power_mw=30_000 * np.arange(51),
    moves_mj=moves_of(np.arange(51), at_the_ends=True),
    green_mj=np.zeros((1, 8), dtype=np.int64),
    weight_ppm=whole([1_000_000]),
    brown_cost=np.full(8, JERSEY),
    run_cost=0,
    jobs=(JOB,),
)


def test_the_papers_weight_is_the_rent_of_a_machine_by_its_energy():
    beta = Fraction(24, 100) / (Fraction(3, 10) * Fraction(1_055, 10_000))
    assert round(float(beta), 3) == 7.583
    assert run_cost_of(beta, 300_000, JERSEY) == 240_000
    assert run_cost_of(Fraction(8), 300_000, JERSEY) == 253_200


def test_fifty_servers_of_thirty_watts_draw_the_peak_of_the_cluster():
    assert int(PROBLEM.power_mw[50]) == 1_500_000
    assert round(1_500 / 1_880, 3) == 0.798


def test_the_deadline_is_the_requested_run_and_its_slack():
    # 7,200 s of one server at 1.9 take 3,789.47 s, a tenth more 4,168.42 s.
    assert JOB.deadline_ms == 4_168_422
    past = {"work_done": 1_900_000_000, "run_ms": 1_000_000, "present": 2}
    assert replace(JOB, work_left=5_300_000_000, **past).deadline_ms == 4_168_422 - 1_000_000


def test_changing_counts_takes_the_energy_of_the_difference():
    moves = moves_of([0, 5, 7, 9], at_the_ends=False)
    assert moves[1, 3] == moves[3, 1] == 7
    assert moves[0].tolist() == moves[:, 0].tolist() == [0, 0, 0, 0]
    assert moves_of([0, 5, 7, 9], at_the_ends=True)[0].tolist() == [0, 5, 7, 9]


def test_a_cost_weighs_money_energy_and_carbon():
    cost = weighed_cost([100, 200], [300, 0], of_money=1, of_energy=7, of_carbon=10)
    assert cost.tolist() == [3_107, 207]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"servers": 49}, "power_mw must be"),
        ({"power_mw": 30_000 * np.arange(1, 52)}, "no servers use no power"),
        ({"green_mj": np.zeros((1, 7), dtype=np.int64)}, "green_mj must be"),
        ({"green_mj": np.full((1, 8), -1)}, "must not be negative"),
        ({"weight_ppm": whole([999_999])}, "a million together"),
        ({"brown_cost": whole([1])}, "brown_cost must be"),
        ({"jobs": ()}, "servers and jobs are needed"),
        ({"length_s": whole([900] * 7 + [0])}, "epochs must have a length"),
        ({"jobs": (replace(JOB, earliest=8, latest=8),)}, "start within the epochs"),
        ({"most_vms_a_server": 3}, "a server takes no more VMs"),
        (
            {"jobs": (replace(JOB, shapes=(Shape.from_counts(64, [64], [1]),)),)},
            "wider than the servers",
        ),
    ],
)
def test_numbers_that_do_not_fit_are_refused(change, says):
    with pytest.raises(ValueError, match=says):
        replace(PROBLEM, **change)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"work_left": 0}, "needs work"),
        ({"slack_ppt": 999}, "slack_ppt"),
        ({"earliest": 2, "latest": 1}, "in order"),
        ({"present": 1, "shapes": (ONE, ONE)}, "has begun"),
        ({"run_ms": 5}, "no past"),
        ({"shapes": ()}, "needs a shape"),
    ],
)
def test_jobs_that_cannot_be_are_refused(change, says):
    with pytest.raises(ValueError, match=says):
        replace(JOB, **change)


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ([], "a server count"),
        ([0, 1], "ascend"),
        ([2, 1], "ascend"),
        ([1, 8], "must have a VM"),
    ],
)
def test_counts_of_a_shape_ascend_and_each_server_has_a_vm(counts, says):
    with pytest.raises(ValueError, match=says):
        Shape.from_counts(4, counts, [1_000] * len(counts))


def test_fractions_are_no_whole_numbers():
    with pytest.raises(ValueError, match="must be whole"):
        whole([1.0, 2.5])


def test_speed_ups_are_of_whole_thousandths():
    assert thousandths(1_999_000) == 1_999
    with pytest.raises(ValueError, match="whole thousandths"):
        thousandths(1_999_001)
