"""The feedback in the controller's fixed point; numbers are worked out by hand."""

from tailc.forms.controller import Actuator, first_state, output_ppm, step
from tailc.pipeline.compile import compile_policy
from tests.tailc.policies.rubik.case import swapped, write

FEEDBACK = "feedback: {epoch: 20ms, window: 80ms}"


def controller(folder, *changes):
    return compile_policy(str(write(folder, swapped(*changes)).spec)).policy.controller


def test_epoch_and_window_are_the_requests_of_their_time_at_the_highest_rate(tmp_path):
    found = controller(tmp_path)
    assert found.acts_on is Actuator.LATENCY_BOUND
    assert (found.epoch_requests, found.window_requests) == (40, 160)
    # 98 % of 3 ms.
    assert (found.target_us, found.percentile_ppm) == (2_940, 950_000)
    assert (found.least_ppm, found.first_ppm, found.most_ppm) == (100_000, 1_000_000, 2_000_000)


def test_a_tail_that_misses_by_a_tenth_lowers_the_bound_by_the_gains(tmp_path):
    found = controller(tmp_path, (FEEDBACK, "feedback: {kp: 0.5, ki: 0.2, target: 100%}"))
    # First error -0.1 of the bound, no change yet: 1 - 0.2 * 0.1; then +0.1: + 0.5 * 0.2 + 0.02.
    once = step(found, first_state(found), 3_300, 500_000)
    twice = step(found, once, 2_700, 500_000)
    assert abs(output_ppm(found, once) - 980_000) <= 1
    assert abs(output_ppm(found, twice) - 1_100_000) <= 1


def test_without_feedback_the_policy_is_the_table_alone(tmp_path):
    spec = swapped((FEEDBACK, "feedback: off"), ("rates: [500/s, 2000/s]\n", ""))
    policy = compile_policy(str(write(tmp_path, spec).spec)).policy
    assert policy.forms == (policy.tail_table,)
    assert policy.rates_mrps == ()


def test_no_feedback_at_all_is_gains_of_nothing(tmp_path):
    found = controller(tmp_path, (FEEDBACK, "feedback: {kp: 0, ki: 0}"))
    after = step(found, first_state(found), 30_000, 500_000)
    assert output_ppm(found, after) == 1_000_000
