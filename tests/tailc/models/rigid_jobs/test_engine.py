from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.forms.plan.ledger import ledger_of
from tailc.forms.plan.plan import Epoch, Plan, Pool, PoolPrices
from tailc.models.rigid_jobs.baselines.first_fit import FirstFit
from tailc.models.rigid_jobs.baselines.smart_green import SmartGreen
from tailc.models.rigid_jobs.engine import replay_rigid
from tailc.models.rigid_jobs.jobs import SubmittedJob
from tailc.models.rigid_jobs.model import PriceAdmission
from tests.tailc.models.datacentre.sites import SMALL, TERMS, Known, supply


@dataclass
class Scripted:
    """Places as a test says, by job; and what it moves, by epoch."""

    places: dict[int, list[list[int]] | None]
    moves: dict[int, dict[int, list[list[int]]]]

    def admit(self, view, job):  # noqa: ARG002
        found = self.places.get(job.number)
        return None if found is None else np.array(found)

    def revise(self, view):
        return {n: np.array(at) for n, at in self.moves.get(view.epoch, {}).items()}


def run(racks, jobs, planner, site=SMALL, **options):
    return replay_rigid(site, supply(racks), Known(supply(racks)), jobs, planner, **options)


def one_job(run_s=1_800, width=2, green_ppm=1_000_000) -> SubmittedJob:
    return SubmittedJob(1, 0, run_s, width, green_ppm)


def test_a_job_on_green_racks_pays_all_and_draws_no_brown_energy():
    found = run([1, 1], [one_job()], Scripted({1: [[0, 0], [0, 0], [2, 2]]}, {}))
    (settled,) = found.settled
    assert (settled.slots, settled.promised_slots, settled.green_slots) == (4, 4, 4)
    assert settled.udollars == 4 * 72_500
    books = ledger_of(found.entries)
    assert (books.demand_mj, books.brown_mj) == (4 * 140_000 * 900, 0)


def test_promised_slots_that_were_not_green_go_back_with_a_penalty():
    found = run([1, 0], [one_job()], Scripted({1: [[0, 0], [0, 0], [2, 2]]}, {}))
    (settled,) = found.settled
    assert settled.green_slots == 2
    assert settled.is_missed
    assert settled.udollars == 4 * 72_500 - 2 * 125_000
    brown = sum(one.brown_udollars for one in found.entries)
    assert brown == pytest.approx(2 * 3_692.5)
    assert found.profit_udollars == pytest.approx(4 * 72_500 - 2 * 125_000 - 2 * 3_692.5)


def test_the_books_of_a_last_epoch_that_is_not_full_are_of_what_ran():
    found = run([0, 0], [one_job(run_s=1_000)], Scripted({1: [[2, 2], [0, 0], [0, 0]]}, {}))
    assert [one.demand_mj for one in found.entries] == [2 * 140_000 * 900, 2 * 140_000 * 100]
    assert found.settled[0].slots == 4


def test_racks_are_green_from_the_greenest_on_as_far_as_energy_carries():
    places = {1: [[1], [2], [1]]}
    job = one_job(run_s=900, width=4, green_ppm=0)
    for racks, green in ((0, 0), (1, 1), (2, 3)):
        # Racks with one busy server draw a half: green power for two racks carries all three.
        assert run([racks], [job], Scripted(places, {})).green_racks.tolist() == [green]


def test_a_job_that_moves_pays_with_energy_where_it_goes():
    moves = {1: {1: [[2], [0], [0]]}}
    later = SubmittedJob(2, 900, 900, 2, 0)
    planner = Scripted({1: [[0, 0], [0, 0], [2, 2]], 2: [[0], [2], [0]]}, moves)
    found = run([0, 0], [one_job(), later], planner)
    assert found.settled[0].moved == 2
    assert found.entries[1].demand_mj == 4 * 140_000 * 900 + 2 * 1_000


def test_jobs_change_places_in_one_epoch_though_neither_has_room_elsewhere():
    full = {1: [[2, 2], [0, 0], [0, 0]], 2: [[0, 0], [2, 2], [0, 0]], 3: [[0, 0], [0, 0], [2, 2]]}
    moves = {1: {1: [[0], [2], [0]], 2: [[2], [0], [0]]}}
    jobs = [SubmittedJob(number, 0, 1_800, 2, 0) for number in (1, 2, 3)]
    found = run([0, 0], jobs, Scripted(full, moves))
    assert [one.moved for one in found.settled] == [2, 2, 0]
    assert found.busy.tolist() == [6, 6]


def test_two_jobs_cannot_be_moved_to_the_same_servers():
    full = {1: [[2, 2], [0, 0], [0, 0]], 2: [[0, 0], [2, 2], [0, 0]]}
    moves = {1: {1: [[0], [0], [2]], 2: [[0], [0], [2]]}}
    jobs = [SubmittedJob(number, 0, 1_800, 2, 0) for number in (1, 2)]
    with pytest.raises(ValueError, match="not free"):
        run([0, 0], jobs, Scripted(full, moves))


def test_jobs_move_in_epochs_in_which_none_arrives():
    moves = {2: {1: [[2, 2], [0, 0], [0, 0]]}}
    places = [[0] * 4, [0] * 4, [2] * 4]
    found = run([0] * 4, [one_job(run_s=3_600)], Scripted({1: places}, moves))
    assert found.settled[0].moved == 2


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ([[1, 1], [0, 0], [0, 0]], "all its servers"),
        ([[3, 3], [0, 0], [-1, -1]], "not free"),
        ([[2, 2], [0, 0]], "places must be"),
    ],
)
def test_places_that_break_a_rule_are_refused(places, said):
    with pytest.raises(ValueError, match=said):
        run([0, 0], [one_job()], Scripted({1: places}, {}))


def test_servers_that_fail_take_their_fee_and_their_share_of_the_promise_with_them():
    site = replace(SMALL, failures_ppm=1_000_000)
    long = SubmittedJob(1, 0, 40 * 900, 6, 1_000_000)
    found = run([3] * 40, [long], FirstFit(), site=site, seed=3)
    (settled,) = found.settled
    assert 0 < settled.slots < 240
    assert settled.promised_slots == settled.slots == settled.green_slots
    assert (np.diff(found.busy) <= 0).all()


def test_first_fit_fills_from_the_first_rack_whatever_the_energy():
    jobs = [SubmittedJob(1, 0, 900, 3, 1_000_000), SubmittedJob(2, 0, 900, 4, 0)]
    found = run([1], jobs, FirstFit())
    assert [one.number for one in found.settled] == [1]
    # The third rack is empty, so green power for one carries the half of the second.
    assert found.settled[0].green_slots == 1


def test_smart_green_takes_the_rack_that_is_just_green_enough():
    # The racks are green in 0, 1 and 2 of two epochs.
    for green_ppm, rack in ((0, 0), (500_000, 1), (600_000, 2)):
        job = one_job(green_ppm=green_ppm)
        view_of = []

        class Watched(SmartGreen):
            def admit(self, view, job, seen=view_of):
                seen.append(super().admit(view, job))
                return seen[-1]

        run([1, 2], [job], Watched())
        assert view_of[0].tolist() == [[2 * (r == rack)] * 2 for r in range(3)]


def test_smart_green_refuses_what_it_expects_to_miss():
    assert run([1, 1], [one_job(width=3)], SmartGreen()).settled == ()


def priced(brown: int, green: int, epochs: int) -> PriceAdmission:
    pools = (Pool("brown", 4, 140_000, 0, 0), Pool("green", 2, 140_000, 0, 0))
    prices = (PoolPrices((brown,) * epochs), PoolPrices((green,) * epochs))
    plan = Plan(0, 900, pools, (Epoch(0, 0, 0, 1),) * epochs, (), prices, TERMS, None, 0)
    return PriceAdmission(plan, lambda epoch: epoch % epochs)


def test_prices_admit_jobs_that_pay_more_than_their_places_are_worth():
    job = one_job(green_ppm=500_000)
    for price, admitted in ((59_999, 1), (72_501, 0)):
        found = run([1, 1], [job], priced(price, price, 2))
        assert len(found.settled) == admitted
        assert all(one.green_slots == 2 for one in found.settled)


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=5),
    st.lists(
        st.tuples(
            st.integers(0, 4_000), st.integers(1, 4_000), st.integers(1, 4), st.integers(0, 4)
        ),
        max_size=6,
    ),
    st.sampled_from([FirstFit(), SmartGreen(), priced(10_000, 20_000, 3)]),
)
def test_energy_and_money_balance_in_every_epoch(racks, listed, planner):
    jobs = [
        SubmittedJob(number, at, run_s, width, quarters * 250_000)
        for number, (at, run_s, width, quarters) in enumerate(sorted(listed))
    ]
    found = run(racks, jobs, planner)
    assert len(found.entries) == len(racks)
    for entry, busy in zip(found.entries, found.busy.tolist(), strict=True):
        assert entry.green_used_mj + entry.brown_mj == entry.demand_mj
        # Every server busy all the time, and moved.
        assert entry.demand_mj <= busy * (140_000 * 900 + 1_000)
        assert entry.green_used_mj + entry.spilled_mj == entry.green_mj
    for one in found.settled:
        assert one.green_slots <= one.slots
        missing = max(0, one.promised_slots - one.green_slots)
        paid = one.promised_slots * 72_500 + (one.slots - one.promised_slots) * 60_000
        assert one.udollars == paid - missing * 125_000
    assert sum(one.slots for one in found.settled) == int(found.busy.sum())
