"""The Python runtime where machines lack work: the shares of the reference, and what is right."""

from __future__ import annotations

from random import Random

import pytest
import tailc_runtime

from tailc.artifact.files import write_policy
from tailc.forms.shares import Machine, ShareCap, ShareLaw
from tailc.forms.shares_step import cannot_meet, first_state, tick
from tests.tailc.models.cpu_shares.hosts import shares_of
from tests.tailc.verify.throughput.judge_case import policy

MACHINES = (
    Machine("encoder", 500_000, 107_259, 1_664_331),
    Machine("hasher", 3_290_736, 36_914, 12_677_046),
    Machine("nightly", None, 0, 1),
)
SETTINGS = {"first_covariance": 100, "shortage_steps": 20, "cap": ShareCap(6, 20, 1_000_000)}
WHOLE_HOST = (1_864.0, 13_000.0)


def opened(path, **changed):
    write_policy(policy(*MACHINES, **SETTINGS, **changed), path / "p")
    return tailc_runtime.open_shares(path / "p.tailc")


def run(broker, plant, ticks: int) -> list[float]:
    """The means of the last window; `plant` of machine, share and tick."""
    done = ([], [])
    for at in range(ticks):
        for machine in (0, 1):
            done[machine].append(plant(machine, broker.granted_ppm[machine] / 1e6, at))
        means = [sum(each[-15:]) / len(each[-15:]) for each in done]
        broker.tick(means)
    return means


def healthy(machine: int, share: float) -> float:
    return WHOLE_HOST[machine] * share


def too_little(machine: int, share: float, _at: int) -> float:
    return min(200.0, healthy(0, share)) if machine == 0 else healthy(1, share)


def dead(machine: int, share: float, at: int) -> float:
    return 0.0 if machine == 0 and at >= 300 else healthy(machine, share)


def returns(machine: int, share: float, at: int) -> float:
    return 0.0 if machine == 0 and 300 <= at < 900 else healthy(machine, share)


def both_too_little(machine: int, share: float, _at: int) -> float:
    return min((200.0, 900.0)[machine], healthy(machine, share))


@pytest.mark.parametrize("plant", [too_little, dead])
def test_a_machine_that_cannot_use_a_share_is_bounded_and_the_one_named(plant, tmp_path):
    broker = opened(tmp_path)
    _, hasher = run(broker, plant, 900)
    assert broker.granted_ppm[0] < 430_000
    assert hasher == pytest.approx(3_290.736, rel=0.01)
    assert broker.cannot_meet() == (True, False)


def test_where_its_work_returns_both_targets_are_met(tmp_path):
    broker = opened(tmp_path)
    assert run(broker, returns, 1_500) == pytest.approx([500.0, 3_290.736], rel=0.01)
    assert broker.cannot_meet() == (False, False)


def test_two_machines_without_work_are_both_bounded_and_named(tmp_path):
    broker = opened(tmp_path)
    run(broker, both_too_little, 900)
    assert sum(broker.granted_ppm[:2]) < 720_000
    assert broker.cannot_meet() == (True, True)


@pytest.mark.parametrize("law", ShareLaw)
@pytest.mark.parametrize("seed", range(3))
def test_the_runtime_treats_any_work_as_the_reference_does(seed, law, tmp_path):
    broker = opened(tmp_path, law=law, window_us=(750_000, 400_000, 1_700_000)[seed])
    shares = shares_of(
        *MACHINES, **SETTINGS, law=law, window_us=(750_000, 400_000, 1_700_000)[seed]
    )
    rng, state = Random(seed), first_state(shares)
    for at in range(900):
        offered = [5_000.0 if at // 300 == 1 else 300.0, 20_000.0 * (at // 200 % 2)]
        measured = [
            min(healthy(machine, state.granted_ppm[machine] / 1e6), offered[machine])
            * rng.uniform(0.9, 1.1)
            for machine in (0, 1)
        ]
        waiting = [1, rng.randrange(20)] if at > 600 else None
        state = tick(shares, state, measured, waiting)
        assert broker.tick(measured, waiting) == state.granted_ppm
        assert broker.cannot_meet() == cannot_meet(shares, state)


@pytest.mark.parametrize("waiting", [(1,), (1, -1)])
def test_what_is_no_number_of_requests_is_refused_and_nothing_remembered(waiting, tmp_path):
    broker = opened(tmp_path)
    with pytest.raises(ValueError, match="waiting requests"):
        broker.tick((500.0, 3_290.0), waiting)
    assert broker.ticks == 0
