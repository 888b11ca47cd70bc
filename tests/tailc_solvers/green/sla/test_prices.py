"""Admission by prices: by hand, and against the best choice of places under the prices."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.green.sla.arrival import in_order
from tailc_solvers.green.sla.check import figures_of, load_of
from tailc_solvers.green.sla.horizon import solve_horizon
from tailc_solvers.green.sla.prices import PriceList, admit, admit_and_place, mean_price, quote
from tailc_solvers.green.sla.problem import Charges, EnergySupply, Groups, Job

SERVER = 60


def groups_of(is_green: list[list[bool]]) -> Groups:
    epochs = len(is_green[0])
    full = 2 * len(is_green) * SERVER
    energy = EnergySupply(np.full(epochs, full), SERVER, 0, np.zeros(epochs, dtype=np.int64))
    idle = np.zeros((len(is_green), epochs), dtype=np.int64)
    charges = Charges(np.zeros(len(is_green), dtype=np.int64))
    return Groups(np.full(len(is_green), 2), np.array(is_green), energy, charges, idle, idle)


TWO = groups_of([[False] * 3, [False, True, True]])
PRICES = PriceList.build(TWO, np.array([[5, 5, 5], [0, 9, 25]]))


def test_a_quote_is_that_by_hand():
    # Cheapest 0, 5, 5; green costs 4 more in epoch 1 and 20 more in epoch 2.
    nothing_promised = quote(PRICES, Job(2, 3, 0, 30, 10))
    assert (nothing_promised.worth, nothing_promised.pays) == (20, 30)
    two = quote(PRICES, Job(2, 3, 2, 30, 10))
    assert (two.worth, two.pays, two.green.tolist()) == (28, 30, [0, 2, 0])
    # The third slot would cost 20: the penalty is less.
    three = quote(PRICES, Job(2, 3, 3, 38, 10))
    assert (three.worth, three.pays, three.is_admitted) == (28, 28, False)
    dear = quote(PRICES, Job(2, 3, 3, 60, 30))
    assert (dear.worth, dear.pays, dear.green.tolist()) == (48, 60, [0, 2, 1])


def test_green_servers_that_cost_no_more_are_taken_beyond_the_promise():
    prices = PriceList.build(TWO, np.array([[5, 5, 5], [9, 5, 4]]))
    assert quote(prices, Job(2, 3, 1, 40, 10)).green.tolist() == [0, 2, 2]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    table=st.lists(st.integers(0, 12), min_size=6, max_size=6),
    width=st.integers(1, 2),
    promised=st.integers(0, 4),
    penalty=st.integers(0, 15),
)
def test_a_quote_is_the_best_choice_of_places_under_the_prices(table, width, promised, penalty):
    prices = PriceList.build(TWO, np.array(table).reshape(2, 3))
    job = Job(width, 3, min(promised, 3 * width), 1_000, penalty)
    found = quote(prices, job)
    best = max(_net(prices, job, servers) for servers in product(range(width + 1), repeat=3))
    assert found.pays - found.worth == best


def _net(prices: PriceList, job: Job, greener: tuple[int, ...]) -> int:
    """With so many servers of the second group."""
    second = np.array(greener)
    worth = int(prices.price[0] @ (job.width - second) + prices.price[1] @ second)
    missing = max(0, job.green_slots - int(second[TWO.is_green[1]].sum()))
    return job.revenue - job.penalty * missing - worth


def test_a_job_is_put_where_the_prices_are_least_and_there_is_room():
    found = admit(TWO, PRICES, Job(2, 3, 2, 100, 10))
    assert found.plan[0].servers.tolist() == [[0, 0, 2], [2, 2, 0]]
    taken = TWO.with_load(np.array([[0] * 3, [0, 1, 0]]), np.zeros((2, 3), dtype=np.int64))
    assert admit(taken, PRICES, Job(2, 3, 2, 100, 10)).plan[0].servers.tolist() == [
        [0, 1, 2],
        [2, 1, 0],
    ]
    assert admit(TWO, PRICES, Job(2, 3, 0, 19, 10)).plan == (None,)
    assert admit(TWO, PRICES, Job(5, 3, 0, 9_999, 10)).plan == (None,)


def test_prices_of_another_size_are_refused():
    with pytest.raises(ValueError, match="by group and epoch"):
        PriceList.build(TWO, np.zeros((2, 2), dtype=np.int64))


def stream(seed: int, epochs: int, jobs: int) -> list[Job]:
    """Jobs that pay between half and one and a half times the usual."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(jobs):
        width, long = int(rng.integers(1, 9)), int(rng.integers(1, 13))
        first = int(rng.integers(0, epochs - long + 1))
        green = -(-int(rng.integers(0, 5)) * width * long // 4)
        usual = 72 * green + 60 * (width * long - green)
        revenue = usual * int(rng.integers(50, 151)) // 100
        made.append(Job(width, long, green, revenue, 125, first_epoch=first))
    return sorted(made, key=lambda job: job.first_epoch)


def test_prices_of_past_logs_keep_room_that_taking_every_job_gives_away():
    # 40 servers and more work than they can do; by day 24 are green.
    epochs = 24
    hour = np.arange(epochs)
    green = np.where((hour >= 8) & (hour < 16), 24 * SERVER, 0)
    energy = EnergySupply(green, SERVER, 6, np.full(epochs, 4))
    is_green = np.array([[False] * epochs, (green > 0).tolist()])
    idle = np.zeros((2, epochs), dtype=np.int64)
    groups = Groups(np.array([16, 24]), is_green, energy, Charges(np.array([0, 1])), idle, idle)
    now = stream(0, epochs, 100)
    with Solver(Backend.HIGHS) as solver:
        past = [solve_horizon(groups, stream(k, epochs, 100), solver).price for k in range(1, 5)]
        bound = solve_horizon(groups, now, solver).bound
    prices = PriceList.build(groups, mean_price(past))
    value = {
        admit_by: figures_of(groups, now, _admitted(groups, prices, now, admit_by)).value
        for admit_by in (admit, admit_and_place)
    }
    plain = figures_of(groups, now, in_order(groups, now, range(len(now)))).value
    assert 1.1 * plain < value[admit_and_place] <= bound
    assert plain < value[admit] < value[admit_and_place]


def _admitted(groups: Groups, prices: PriceList, jobs: list[Job], admit_by) -> tuple:
    plan = []
    for job in jobs:
        found = admit_by(groups, prices, job)
        plan.append(found.plan[0])
        groups = groups.with_load(*load_of(groups, [job], found.plan))
    return tuple(plan)
