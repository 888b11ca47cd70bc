from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.forms.plan.battery import Battery
from tailc.forms.plan.ledger import ledger_of
from tailc.forms.plan.plan import PPM
from tailc.forms.plan.plan_books import plan_books
from tailc.models.datacentre.storage import Books, Storage, storage_of
from tailc.models.datacentre.supply import Supply
from tailc.models.malleable_jobs.baselines.constant import ConstantAllocator
from tailc.models.malleable_jobs.baselines.reactive import ReactiveAllocator
from tailc.models.malleable_jobs.cluster import Cluster
from tailc.models.malleable_jobs.engine import replay_malleable
from tailc.models.malleable_jobs.jobs import MalleableJob
from tailc.models.malleable_jobs.model import PricedWidths
from tailc.models.rigid_jobs.baselines.first_fit import FirstFit
from tailc.models.rigid_jobs.engine import replay_rigid
from tailc.models.rigid_jobs.jobs import SubmittedJob
from tailc.models.rigid_jobs.model import PriceAdmission
from tailc.pipeline.plan_battery import with_battery
from tests.tailc.artifact.published import policy_of
from tests.tailc.models.datacentre.sites import SMALL, Known

# Up to 60 mW in and 50 mW out, four fifths are kept, 100 mJ are held at first.
BATTERY = Battery(1_000, 60, 50, 800_000, 100)
SEEDS = st.integers(0, 2**32)


def plan_in(name):
    found = policy_of(name).plan
    assert found
    return found


def test_what_is_left_is_charged_as_far_as_power_and_room_go():
    """In 10 s 600 of 700 mJ, of which 480 stay; then the 420 for which there is room are 525."""
    books = Books(Storage(BATTERY))
    for _ in range(3):
        books.add(100, 800, 1, 1, 10)
    assert [one.charged_mj for one in books.entries] == [600, 525, 0]
    assert [one.lost_mj for one in books.entries] == [120, 105, 0]
    assert [one.spilled_mj for one in books.entries] == [100, 175, 700]
    assert books.held_mj == 1_000


def test_brown_energy_is_replaced_as_far_as_power_and_what_is_held_go():
    books = Books(Storage(replace(BATTERY, first_mj=800)))
    for demand_mj in (40, 900, 900):
        books.add(demand_mj, 0, 1, 1, 10)
    assert [one.discharged_mj for one in books.entries] == [40, 500, 260]
    assert [one.brown_mj for one in books.entries] == [0, 400, 640]


@pytest.mark.parametrize(
    ("least", "given_mj"), [(0, [100, 0]), (7, [100, 0]), (8, [0, 100]), (None, [0, 0])]
)
def test_energy_is_kept_for_prices_from_the_threshold_on(least, given_mj):
    books = Books(Storage(BATTERY, least))
    books.add(300, 0, 7, 1, 10)
    books.add(300, 0, 8, 1, 10)
    assert [one.discharged_mj for one in books.entries] == given_mj


def doing(plan, **flows_mj):
    """The plan, with a battery that is idle but in the epochs named, such as e3."""
    epochs = (
        replace(one, battery_mj=flows_mj.get(f"e{number}", 0))
        for number, one in enumerate(plan.epochs)
    )
    return replace(plan, epochs=tuple(epochs))


def test_the_threshold_of_a_plan_is_the_lowest_price_at_which_it_gives():
    """A kWh costs 9 cents in the first hour, and 0.7 more in each."""
    plan = plan_in("plan-battery")
    assert storage_of(doing(plan, e11=-5, e3=-5)) == Storage(plan.battery, 111_000)
    assert storage_of(doing(plan, e11=-5, e2=5)) == Storage(plan.battery, 167_000)
    assert storage_of(doing(plan, e2=5)) == Storage(plan.battery, None)
    assert storage_of(plan.without_battery()) is None


def test_a_battery_of_racks_lowers_brown_energy_and_makes_no_slot_green():
    """Noon leaves a rack's energy, 252 kJ; in the evening two servers draw 252 kJ."""
    green = np.array([280_000, 0], np.int64)
    supply = Supply(green, np.full(2, 105_500), np.full(2, 200_000))
    evening = SubmittedJob(1, 900, 900, 2, 0)
    battery = Battery(252_000_000, 280_000, 140_000, 900_000, 0)
    for storage, given_mj in ((None, 0), (Storage(battery), 126_000_000)):
        site = replace(SMALL, storage=storage)
        found = replay_rigid(site, supply, Known(supply), [evening], FirstFit())
        assert found.settled[0].green_slots == 0
        assert found.entries[1].discharged_mj == given_mj
        assert found.entries[1].brown_mj == 252_000_000 - given_mj


def test_a_battery_of_a_cluster_gives_from_interval_to_interval():
    """Asleep, four servers of 1 W draw 4 W; 2 W are left for 900 s, and half of that stays."""
    cluster = Cluster(4, 30_000, 1_000, 0, 900, Storage(Battery(10**9, 5_000, 1_000, 500_000, 0)))
    supply = Supply(np.array([6_000, 0]), np.full(2, 105_500), np.full(2, 200_000))
    found = replay_malleable(cluster, supply, Known(supply), [], ConstantAllocator())
    assert [one.charged_mj for one in found.entries] == [1_800_000, 0]
    assert [one.lost_mj for one in found.entries] == [900_000, 0]
    assert [one.discharged_mj for one in found.entries] == [0, 900_000]
    assert found.entries[1].brown_mj == 3_600_000 - 900_000


def conserved(entries, storage: Storage) -> None:
    """Nothing comes from nowhere, entry by entry and in sum."""
    held_mj = storage.battery.first_mj
    for one in entries:
        assert one.green_mj == one.green_used_mj + one.charged_mj + one.spilled_mj
        assert one.demand_mj == one.green_used_mj + one.discharged_mj + one.brown_mj
        assert min(one.charged_mj, one.discharged_mj) == 0
        held_mj += one.charged_mj - one.lost_mj - one.discharged_mj
        assert 0 <= held_mj <= storage.battery.capacity_mj
        if one.brown_udollars_per_kwh < (storage.least_udollars_per_kwh or 0):
            assert one.discharged_mj == 0
    told = ledger_of(entries)
    green_mj = sum(one.green_mj for one in entries)
    assert green_mj == told.green_used_mj + told.charged_mj + told.spilled_mj
    stored_mj = told.charged_mj - told.lost_mj - told.discharged_mj
    assert held_mj == storage.battery.first_mj + stored_mj


def drawn(rng: Random, largest_mj: int) -> tuple[Storage, Supply]:
    capacity_mj = rng.randint(1, largest_mj)
    battery = Battery(
        capacity_mj,
        rng.randint(1, 400_000),
        rng.randint(1, 400_000),
        rng.choice((1, 853_217, PPM)),
        rng.randint(0, capacity_mj),
    )
    epochs = rng.randint(1, 6)
    columns = [(0, 900_000), (0, 300_000), (0, 9)]
    rows = ([rng.randint(*one) for _ in range(epochs)] for one in columns)
    supply = Supply(*(np.array(row, np.int64) for row in rows))
    return Storage(battery, rng.choice((None, 0, 150_000))), supply


@given(SEEDS)
def test_racks_with_a_battery_conserve_energy(seed):
    rng = Random(seed)
    storage, supply = drawn(rng, 10**9)
    jobs = [
        SubmittedJob(n, rng.randint(0, 900) + 900 * n, rng.randint(1, 4_000), rng.randint(1, 4), 0)
        for n in range(4)
    ]
    site = replace(SMALL, storage=storage)
    found = replay_rigid(site, supply, Known(supply), jobs, FirstFit())
    conserved(found.entries, storage)
    plain = replay_rigid(SMALL, supply, Known(supply), jobs, FirstFit())
    assert plain.settled == found.settled
    brown = [sum(one.brown_mj for one in each.entries) for each in (plain, found)]
    assert brown[1] <= brown[0]


@given(SEEDS)
def test_a_cluster_with_a_battery_conserves_energy(seed):
    rng = Random(seed)
    storage, supply = drawn(rng, 10**8)
    speedup_ppm = {2: {1: PPM, 2: 1_800_000, 4: 3_000_000}}
    jobs = [
        MalleableJob(n, 500 * n, rng.randint(1, 2_000), rng.choice((1, 2)), PPM, speedup_ppm)
        for n in range(4)
    ]
    cluster = Cluster(4, 100_000, 3_000, 10, 900, storage)
    found = replay_malleable(cluster, supply, Known(supply), jobs, ReactiveAllocator())
    conserved(found.entries, storage)
    assert sum(found.ends_s[-1:]) == supply.epochs * 900


@pytest.mark.parametrize("name", ["plan-battery", "plan-battery-racks"])
def test_on_the_supply_that_was_expected_a_plan_without_jobs_does_no_better(name):
    """The dispatch is the best there is, so that a rule on the same supply saves no more."""
    plan = replace(plan_in(name).without_battery(), jobs=())
    battery = plan_in(name).battery
    assert battery
    planned = with_battery(plan, battery)
    storage, books = storage_of(planned), plan_books(planned)
    assert storage
    replayed = Books(storage)
    for one in books.entries:
        per_kwh = one.brown_udollars_per_kwh, one.brown_mg_per_kwh
        replayed.add(one.demand_mj, one.green_mj, *per_kwh, plan.epoch_s)
    cost = ledger_of(replayed.entries).brown_udollars
    assert books.ledger.brown_udollars <= cost <= plan_books(plan).ledger.brown_udollars


def test_prices_of_a_plan_with_a_battery_are_used_as_without():
    """Neither planner sees the battery."""
    racks, cluster = plan_in("plan-battery-racks"), plan_in("plan-battery")
    supply = Supply(np.full(16, 900_000), np.full(16, 105_500), np.full(16, 200_000))
    jobs = [SubmittedJob(n, 900 * n, 2_000, 2, 500_000) for n in range(6)]
    settled = [
        replay_rigid(
            SMALL, supply, Known(supply), jobs, PriceAdmission(one, lambda epoch: epoch % 16)
        ).settled
        for one in (racks, racks.without_battery())
    ]
    assert settled[0] == settled[1] != ()
    (pool, *_), (prices, *_) = cluster.pools, cluster.prices
    small = replace(cluster.without_battery(), pools=(pool,), prices=(prices,), jobs=())
    assert cluster.battery
    charged = with_battery(small, cluster.battery)
    work = [MalleableJob(n, 600 * n, 900, 1, PPM, {2: {1: PPM, 2: 1_900_000}}) for n in range(3)]
    servers = Cluster(4, 30_000, 1_000, 0, 3_600)
    done = [
        replay_malleable(
            servers, supply, Known(supply), work, PricedWidths(one, lambda epoch: epoch % 12)
        ).done
        for one in (charged, small)
    ]
    assert done[0] == done[1] != ()
