import numpy as np
import pytest

from tailc.pipeline.later_jobs.comparison import JudgedRule, best_rule, fault_of

CONSTANT = JudgedRule("constant", np.array([4.0, 6.0, 5.0, 5.0]), np.array([2.0, 3.0, 2.5, 2.5]), 0)


def rule(name, loss, brown, broken=0.0):
    return JudgedRule(name, np.array(loss, float), np.array(brown, float), broken)


def test_the_lowest_mean_loss_wins():
    better = rule("better", [3, 5, 4, 4], [2, 3, 2.5, 2.5])
    best = rule("best", [2, 4, 3, 3], [2, 3, 2.5, 2.5])
    assert best_rule([CONSTANT, better, best], 0.0) is best


def test_a_rule_that_breaks_promises_is_not_chosen():
    late = rule("late", [1, 1, 1, 1], [1, 1, 1, 1], broken=0.05)
    assert fault_of(late, CONSTANT, 0.01) == "breaks 5 % of the promises"
    assert best_rule([CONSTANT, late], 0.01) is CONSTANT
    assert best_rule([CONSTANT, late], 0.05) is late


def test_all_rules_count_if_each_has_a_fault():
    first = rule("first-fit", [5, 5], [0, 0], broken=0.5)
    prices = rule(None, [4, 4], [0, 0], broken=0.2)
    assert best_rule([first, prices], 0.1) is prices


@pytest.mark.parametrize(
    ("brown", "is_more"),
    [
        ([2.0, 3.0, 2.5, 2.5], False),
        ([2.1, 3.1, 2.6, 2.6], True),  # the same 0.1 more in each window: no noise
        ([3.0, 2.05, 2.5, 2.5], False),  # 0.5 % more, and from -0.95 to +1
        ([3.5, 2.0, 2.5, 2.6], True),  # 6 % more, above the limit of 2 %
        ([1.0, 1.0, 1.0, 1.0], False),
    ],
)
def test_brown_energy_counts_as_more_beyond_noise_or_two_per_cent(brown, is_more):
    other = rule("other", [1, 1, 1, 1], brown)
    assert other.draws_more_than(CONSTANT) is is_more


@pytest.mark.parametrize(
    ("brown", "is_more"),
    [
        ([-2.0, -3.0, -2.5, -2.5], False),
        ([-1.0, -2.95, -2.5, -3.5], False),  # 0.5 % more, and noise
        ([-1.0, -2.95, -2.5, -3.2], True),  # 3.5 % more
    ],
)
def test_brown_energy_that_is_paid_for_has_the_same_limits(brown, is_more):
    paid = rule("constant", [1, 1, 1, 1], [-2.0, -3.0, -2.5, -2.5])
    assert rule("other", [1, 1, 1, 1], brown).draws_more_than(paid) is is_more


def test_a_few_windows_have_no_noise_to_hide_in():
    one = rule("one", [1, 1], [2.0, 3.01])
    assert one.draws_more_than(rule("constant", [9, 9], [2.0, 3.0]))


def test_a_gain_is_paired_by_window():
    gain = rule("other", [3, 5, 4, 4], [0, 0, 0, 0]).gain_over(CONSTANT)
    assert (gain.value, gain.low, gain.high) == (1.0, 1.0, 1.0)


def test_profit_has_no_limit_of_brown_energy():
    prices = JudgedRule(None, np.array([-2.0]), None, 0.0)
    assert not prices.draws_more_than(JudgedRule("first-fit", np.array([-1.0]), None, 0.0))
