"""Steps of the compiled controller against the form's own, and what they measure."""

import random

import numpy as np
import pytest

from tailc.forms.controller import (
    LARGEST_GAIN,
    Actuator,
    Controller,
    GainRow,
    first_state,
    output_ppm,
    step,
)
from tailc.models.core_types.outcome import CoreTypesOutcome
from tailc.models.steering import OpenLoop, ReactiveRule
from tailc.percentiles import percentile_rank
from tests.tailc.models.core_types.servers import MS, PPM, cores, latency_ms, row, run

# Gains are whole numbers, so a step is not quite the round number that it is said to be.
GRID_PPM = 10


def controller(**changed) -> Controller:
    parts = {
        "acts_on": Actuator.CLIMB_AGES,
        "percentile_ppm": 500_000,
        "target_us": 30_000,
        "epoch_requests": 1,
        "window_requests": 1,
        "first_ppm": PPM,
        "least_ppm": 0,
        "most_ppm": PPM,
        "fraction_bits": 30,
        # a millionth of the output a microsecond of error, and a tenth of that
        "gains": (GainRow(0, 0, 2**30 // 100_000, 0),),
    }
    return Controller(**{**parts, **changed})


def far_apart(policy, works_ms: list[float], steering) -> CoreTypesOutcome:
    """A request a second, so that none meets another."""
    return run(policy, [1000 * i for i in range(len(works_ms))], works_ms, steering=steering)


def test_a_tail_above_the_target_lowers_the_output_by_gain_times_error():
    policy = cores([1, 1], row((0, 0), (20, 1)))
    # 20 + 20 / 2 = 30 ms is the target; 60 ms of work takes 40 ms
    outcome = far_apart(policy, [40, 60, 60], controller())
    assert outcome.steps.measured_us.tolist()[:2] == [30_000, 40_000]
    # 10 ms too long: a tenth less, so the third climbs at 18 ms
    assert outcome.steps.output_ppm[:2].tolist() == pytest.approx([PPM, 900_000], abs=GRID_PPM)
    assert latency_ms(outcome)[2] == 18 + (60 - 18) / 2


def test_an_output_of_zero_starts_on_the_last_rung():
    policy = cores([1, 1], row((0, 0), (20, 1)))
    closed = controller(least_ppm=0, first_ppm=0)
    assert latency_ms(far_apart(policy, [40], closed)) == [20]


def test_the_window_holds_fewer_at_the_beginning_and_the_last_after():
    window = controller(epoch_requests=2, window_requests=3, gains=(GainRow(0, 0, 0, 0),))
    works = [10, 30, 20, 50, 70, 60]
    outcome = far_apart(cores([1], row((0, 0))), works, window)
    # medians of (10, 30), (30, 20, 50), (50, 70, 60): ranks 1, 2, 2
    assert outcome.steps.measured_us.tolist() == [10_000, 30_000, 60_000]


def test_the_rate_is_that_of_the_arrivals_since_the_last_step():
    window = controller(epoch_requests=2, window_requests=2)
    outcome = run(cores([4], row((0, 0))), [0, 1, 2, 3], [10, 20, 30, 50], steering=window)
    # exits at 10, 21, 32, 53 ms: four arrivals in 21 ms, none in the next 32
    assert outcome.steps.rate_mrps.tolist() == [4 * 10**9 // 21_000, 0]


def test_gains_are_those_of_the_rate():
    gains = (GainRow(0, 0, 0, 0), GainRow(1_500, 0, 2**30 // 10_000, 0))
    scheduled = controller(gains=gains, target_us=5_000)
    policy = cores([1, 1], row((0, 0), (20, 1)))
    outcome = run(policy, [0, 1000, 1400], [10, 10, 10], steering=scheduled)
    # 1 in 10 ms is 100/s, then 1 in 1 s, then 1 in 0.4 s: the error of -5 ms counts twice
    wanted = [500_000, 500_000, 0]
    assert outcome.steps.output_ppm.tolist() == pytest.approx(wanted, abs=GRID_PPM)


@pytest.mark.parametrize("block", range(20))
def test_a_long_run_steps_as_the_form_does(block):
    rng = random.Random(block)
    firsts = [0, *sorted(rng.sample(range(1, 10**6), rng.randint(0, 4)))]
    scale = rng.choice([10, 10**4, LARGEST_GAIN])
    gains = tuple(GainRow(f, *(rng.randint(-scale, scale) for _ in range(3))) for f in firsts)
    least, first, most = sorted(rng.randint(0, PPM) for _ in range(3))
    form = controller(
        percentile_ppm=rng.randint(1, PPM - 1),
        target_us=rng.choice([rng.randint(1, 100_000), 2**31 - 1]),
        epoch_requests=rng.randint(1, 7),
        window_requests=rng.randint(7, 30),
        first_ppm=first,
        least_ppm=least,
        most_ppm=most,
        fraction_bits=rng.randint(20, 40),
        gains=gains,
    )
    arrivals = np.cumsum([rng.expovariate(0.1) for _ in range(500)]).tolist()
    works = [rng.choice([rng.expovariate(0.05), rng.uniform(1, 3_000_000)]) for _ in arrivals]
    outcome = run(cores([9, 3], row((0, 0), (10, 1))), arrivals, works, steering=form)
    state, given = first_state(form), outcome.steps
    for measured_us, rate_mrps, output in zip(
        given.measured_us.tolist(), given.rate_mrps.tolist(), given.output_ppm, strict=True
    ):
        state = step(form, state, measured_us, rate_mrps)
        assert output == output_ppm(form, state)
    assert given.measured_us.tolist() == measured_by_sorting(outcome, form)


def measured_by_sorting(outcome: CoreTypesOutcome, form: Controller) -> list[int]:
    exits_ns = outcome.arrival_ns + outcome.latency_ns
    latency_us = (outcome.latency_ns[np.argsort(exits_ns, kind="stable")] + 500) // 1000
    measured = []
    for end in range(form.epoch_requests, len(latency_us) + 1, form.epoch_requests):
        window = np.sort(latency_us[max(end - form.window_requests, 0) : end])
        measured.append(int(window[percentile_rank(form.percentile_ppm, len(window)) - 1]))
    return measured


def test_outputs_may_be_given_by_epoch():
    law = OpenLoop(np.array([PPM, 500_000, 0]), 2, 2, 500_000)
    policy = cores([1, 1], row((0, 0), (20, 1)))
    outcome = far_apart(policy, [40] * 7, law)
    assert latency_ms(outcome) == [30, 30, 25, 25, 20, 20, 20]
    assert outcome.steps.output_ppm.tolist() == [500_000, 0, 0]


def test_a_reactive_rule_moves_the_first_threshold_until_it_is_zero_and_then_the_next():
    law = ReactiveRule(500_000, 40_000, 1, 1)
    policy = cores([1, 1, 1], row((0, 0), (20, 1), (40, 2)))
    # speeds 1, 2, 4: 2 e / (2 - 1) of the first, 4 e / (4 - 2) of the second
    # 20 + 2 * 20 + 4 x = 120: 55 ms, 15 too long: the first threshold is 0 after a step of 30
    outcome = far_apart(policy, [120] * 4, law)
    assert latency_ms(outcome)[0] == 55
    # from 0: 2 * 40 + 4 x = 120: 50 ms, 10 too long: the second falls by 20 ms, to 20
    assert latency_ms(outcome)[1] == 50
    # 2 * 20 + 4 x = 120: 40 ms, on the target, and nothing moves
    assert latency_ms(outcome)[2:] == [40, 40]


def test_a_reactive_rule_raises_the_last_threshold_that_has_fallen_first():
    law = ReactiveRule(500_000, 40_000, 1, 1)
    policy = cores([1, 1, 1], row((0, 0), (20, 1), (40, 2)))
    # down to 0 and 10 by two long requests, then short ones
    outcome = far_apart(policy, [120, 130, 40, 40, 40], law)
    first, second = latency_ms(outcome)[:2]
    assert first == 55
    assert second == 40 + (130 - 80) / 4
    # 12.5 too long: the second threshold is 40 - 25 = 15; 40 of work: 15 + 10 / 4
    assert latency_ms(outcome)[2] == 15 + 10 / 4
    # 22.5 too short: it rises by 45, no higher than the 40 it had: 20 ms, on the second type alone
    assert latency_ms(outcome)[3] == 20
    # 20 too short: now the first rises, to 40: 40 ms of work are done by then
    assert latency_ms(outcome)[4] == 40


def test_steps_are_told_in_order_of_time():
    outcome = far_apart(cores([1], row((0, 0))), [10, 20], controller())
    assert outcome.steps.time_ns.tolist() == [10 * MS, 1020 * MS]
