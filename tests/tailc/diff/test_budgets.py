"""Budgets: pass, fail and undecided by where the interval of a change lies."""

import pytest

from tailc.diff.behaviour import Behaviour, BehaviourPoint, QuantityChange
from tailc.diff.budgets import check_budgets
from tailc.diff.change import PairedChange
from tailc.diff.decisions import Decisions
from tailc.errors import ExitCode


def became(*changes, old_is_overloaded=False, new_is_overloaded=False):
    """A comparison at 40/s with these quantities, (name, old, new, low, high) each."""
    quantities = tuple(
        QuantityChange(name, "us", PairedChange(old, new, new - old, low, high))
        for name, old, new, low, high in changes
    )
    point = BehaviourPoint("40/s", 40_000, old_is_overloaded, new_is_overloaded, quantities)
    return Behaviour("digest", 1_000, 1, 20_000, 100, Decisions((), (), "not asked"), (point,))


@pytest.mark.parametrize(
    ("low", "high", "most_ppm", "ruling", "code"),
    [
        # Of 100 ms: all of it below +1 %, all of it above, and one limit on either side.
        (-500, 1_000, 10_000, "pass", ExitCode.OK),
        (1_001, 3_000, 10_000, "fail", ExitCode.MISSED),
        (1_000, 3_000, 10_000, "undecided", ExitCode.UNDECIDED),
        (-3_000, 1_001, 10_000, "undecided", ExitCode.UNDECIDED),
        # Nothing worse at all is a budget too.
        (-10, 0, 0, "pass", ExitCode.OK),
        (1, 2_000, 0, "fail", ExitCode.MISSED),
    ],
)
def test_a_budget_is_judged_by_the_whole_interval(low, high, most_ppm, ruling, code):
    new = 100_000 + (low + high) // 2
    found = check_budgets({"p99": most_ppm}, became(("p99", 100_000, new, low, high)))
    assert [one.ruling.value for one in found.rulings] == [ruling]
    assert found.exit_code is code
    assert found.rulings[0].low_ppm == low * 10
    assert found.rulings[0].high_ppm == high * 10


def test_means_have_short_names():
    changes = ("mean latency", 100, 90, -20, -5), ("mean energy", 1_000, 1_001, 0, 2)
    found = check_budgets({"mean": 0, "energy": 5_000}, became(*changes))
    assert [(one.key, one.change_ppm) for one in found.rulings] == [
        ("mean", -100_000),
        ("energy", 1_000),
    ]
    assert found.exit_code is ExitCode.OK


def test_one_that_is_exceeded_outweighs_one_that_nobody_can_tell():
    changes = ("p50", 1_000, 1_100, 50, 150), ("p99", 9_000, 9_000, -900, 900)
    assert check_budgets({"p50": 0, "p99": 0}, became(*changes)).exit_code is ExitCode.MISSED
    assert check_budgets({"p99": 0}, became(*changes)).exit_code is ExitCode.UNDECIDED


def test_too_few_requests_for_limits_decide_nothing():
    found = check_budgets({"p99": 500_000}, became(("p99", 9_000, 9_000, None, None)))
    assert found.exit_code is ExitCode.UNDECIDED


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [(False, True, ExitCode.MISSED), (True, True, ExitCode.UNDECIDED)],
)
def test_a_server_that_only_the_new_policy_overloads_is_worse(old, new, code):
    overloaded = became(
        ("p99", 9_000, 9_000, None, None), old_is_overloaded=old, new_is_overloaded=new
    )
    assert check_budgets({"p99": 10_000}, overloaded).exit_code is code


def test_what_is_not_compared_is_named():
    found = check_budgets({"energy": 0, "p95": 0}, became(("p99", 9_000, 9_000, -1, 1)))
    assert (found.unmeasured, found.measured) == (("energy", "p95"), ("p99",))


def test_policies_that_do_the_same_keep_every_budget():
    found = check_budgets({"energy": 0}, None)
    assert (found.rulings, found.unmeasured, found.exit_code) == ((), (), ExitCode.OK)
