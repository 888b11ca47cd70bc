from dataclasses import replace

import pytest

from tailc.forms.plan.plan import Epoch, Malleable, Plan, Pool, PoolPrices
from tailc.models.malleable_jobs.model import PricedWidths
from tests.tailc.models.malleable_jobs.engine_case import job, run


def plan(prices, delay_udollars) -> Plan:
    pool = Pool("cluster", 4, 30_000, 1_000, 10)
    epochs = (Epoch(0, 0, 0, None),) * len(prices)
    malleable = Malleable(delay_udollars, 1_100_000)
    return Plan(0, 900, (pool,), epochs, (), (PoolPrices(tuple(prices)),), None, malleable, 0)


def priced(prices, delay_udollars=0) -> PricedWidths:
    return PricedWidths(plan(prices, delay_udollars), lambda epoch: epoch % len(prices))


def test_dear_servers_are_kept_few_and_cheap_ones_shorten_a_run():
    # Alone it runs for two epochs, on two servers or more for one.
    slow = job(work_s=1_600)
    assert run([0] * 3, [slow], priced([100, 100])).history[0] == (0, {1: 1})
    assert run([0] * 3, [slow], priced([100, 100], 1)).history[0] == (0, {1: 2})
    assert run([0] * 3, [slow], priced([100, 500])).history[0] == (0, {1: 2})


def test_a_width_on_which_a_job_would_be_late_is_not_taken():
    wide = job(requested=2, work_s=1_600)
    assert run([0] * 3, [wide], priced([100, 100])).history[0] == (0, {1: 2})


def test_jobs_wait_in_order_where_there_is_no_room():
    jobs = [job(1, requested=4, work_s=2_700), job(2, 10, requested=4, work_s=2_700)]
    found = run([0] * 4, jobs, priced([1] * 4))
    first, second = found.done
    assert first.ended_s == second.started_s == 900


def test_prices_go_by_the_epoch_that_it_is():
    late = job(submit_s=950, work_s=1_600)
    prices = [500, 100, 100]
    assert run([0] * 4, [late], priced(prices, 1)).history[1] == (950, {1: 2})
    prices = [100, 100, 500]
    assert run([0] * 4, [late], priced(prices)).history[1] == (950, {1: 2})


def test_a_plan_of_several_pools_is_refused():
    two = replace(
        plan([1], 0),
        pools=(Pool("a", 4, 1, 0, 0), Pool("b", 4, 1, 0, 0)),
        prices=(PoolPrices((1,)), PoolPrices((1,))),
    )
    with pytest.raises(ValueError, match="one pool"):
        PricedWidths(two, lambda epoch: epoch)
