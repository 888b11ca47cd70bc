"""NaN is refused by every form of the Python runtime, and changes no state."""

from __future__ import annotations

import copy
from collections.abc import Callable
from math import inf, nan

import pytest
from tailc_runtime import (
    open_budget_table,
    open_plan,
    open_policy,
    open_shares,
    open_tail_table,
)
from tailc_runtime.overload import Overload
from tailc_runtime.sharing import Sharing

from tests.tailc.artifact.published import VECTORS


def opened(form: Callable, name: str):
    return form(VECTORS / f"{name}.tailc")


@pytest.mark.parametrize(
    "arguments",
    [
        ([nan],),
        ([0, nan],),
        ([nan, 0],),
        ([0], nan),
        ([0], 0, nan),
        ([0], 0, 0, nan),
    ],
)
def test_a_core_has_no_level_for_nan(arguments: tuple) -> None:
    with pytest.raises(ValueError, match=r"nor NaN|must be 0 to"):
        opened(open_tail_table, "tails").level(*arguments)


def test_a_request_of_infinite_age_gets_the_highest_level() -> None:
    table = opened(open_tail_table, "tails")
    assert table.level([inf]) == len(table.frequencies_khz) - 1


@pytest.mark.parametrize("arguments", [(nan, 0), (0, nan)])
def test_an_iteration_has_no_budget_for_nan(arguments: tuple) -> None:
    with pytest.raises(ValueError, match="must not be NaN"):
        opened(open_budget_table, "budgets").lookup(*arguments)


def test_infinite_numbers_of_tokens_have_the_budget_of_the_last_cell() -> None:
    table = opened(open_budget_table, "budgets")
    assert table.lookup(inf, inf) == table.lookup(10**400, 10**400)


@pytest.mark.parametrize("arguments", [(nan, 0), (0, nan)])
def test_a_controller_makes_no_step_of_nan(arguments: tuple) -> None:
    controller = opened(open_policy, "controller").controller
    before = copy.deepcopy(vars(controller))
    with pytest.raises(ValueError, match="nor NaN"):
        controller.step(*arguments)
    assert vars(controller) == before


OVERLOAD, SHARING = Overload(1, 1, 1, 1, counts_waiting=True), Sharing(0, 1, 1, counts_waiting=True)


@pytest.mark.parametrize(
    ("rule", "arguments"),
    [
        (OVERLOAD.refuses, (nan,)),
        (OVERLOAD.work_ppm, (nan,)),
        (OVERLOAD.cuts_off, (nan, 0)),
        (OVERLOAD.cuts_off, (0, nan)),
        (SHARING.starts, (nan,)),
        (SHARING.gives_up, (nan, 0)),
        (SHARING.gives_up, (0, nan)),
    ],
)
def test_no_rule_decides_on_nan(rule: Callable, arguments: tuple) -> None:
    with pytest.raises(ValueError, match="must not be NaN"):
        rule(*arguments)


@pytest.mark.parametrize("rules", [Overload(1, 5, 1, 1, False), Sharing(0, 1, 5, False)])
def test_an_infinite_time_of_waiting_is_no_work(rules: Overload | Sharing) -> None:
    ends = rules.cuts_off if isinstance(rules, Overload) else rules.gives_up
    assert not ends(inf, 4)
    assert ends(inf, 5)


@pytest.mark.parametrize("place", range(2))
def test_shares_make_no_tick_of_nan(place: int) -> None:
    shares = opened(open_shares, "shares")
    numbers = [[1.0] * len(shares.served), [1] * len(shares.served)]
    numbers[place][-1] = nan
    with pytest.raises(ValueError, match="must be numbers, 0 or more"):
        shares.tick(*numbers)
    assert shares.ticks == 0


@pytest.mark.parametrize(
    "arguments", [(nan, 1, 1), (0, nan, 1), (0, 1, nan), (0, 1, 1, nan), (0, inf, 1)]
)
def test_a_plan_quotes_no_job_of_nan(arguments: tuple) -> None:
    with pytest.raises(ValueError, match=r"must start in epoch 0|must be 0 to"):
        opened(open_plan, "plan").quote(*arguments)


def test_a_job_is_not_released_at_nan() -> None:
    plan = opened(open_plan, "plan")
    job = plan.jobs[0]
    free = [plan.free(epoch) for epoch in range(len(plan.epochs))]
    with pytest.raises(ValueError, match="must not be NaN"):
        plan.release(job, nan)
    assert job in plan.jobs
    assert [plan.free(epoch) for epoch in range(len(plan.epochs))] == free


@pytest.mark.parametrize("time", [nan, inf, -inf])
def test_a_plan_counts_times_that_are_none_as_outside(time: float) -> None:
    plan = opened(open_plan, "plan")
    assert plan.source(0, time) is None
    assert plan.allocation(plan.jobs[0], time) is None
    assert plan.counters.outside == 2
