"""Negative prices: the grid's power is bought, and what servers do not use is thrown away."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tailc.artifact.flat_form import decode_flat, encode_flat
from tailc.artifact.json_form import decode_json, encode_json
from tailc.errors import Code, TailcError
from tailc.experiment.job_windows import replay_windows
from tailc.experiment.plan_options import PlanOptions
from tailc.forms.plan.ledger import MJ_PER_KWH
from tailc.forms.plan.plan import PPM, Battery
from tailc.forms.plan.plan_books import plan_books
from tailc.models.datacentre.quantities import JobQuantity
from tailc.models.datacentre.storage import Books
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.malleable_jobs.evidence import cluster_remarks, cluster_settings
from tailc.pipeline.malleable_jobs.solve import solve_for_clusters
from tailc.pipeline.rigid_jobs.formulation import MOVE_UDOLLARS, RacksFormulation
from tailc.pipeline.rigid_jobs.solve import solve_for_racks
from tailc.problems.plan import PlanMethod, PlanSearch, Weights
from tailc.problems.plan_of_spec import grid_of
from tailc.studies.held_out_days import read_held_out_days
from tests.reference.cluster_program import least_cost
from tests.tailc.pipeline.malleable_jobs.instances import cluster, job, random_cluster, supply
from tests.tailc.pipeline.rigid_jobs.problems import drawn, named, problem
from tests.tailc.policies.greenpar.case import SPEC, roof, write

KW = 1_000_000
WIDE = {1: 10**6, 2: 2 * 10**6}


def test_a_malleable_job_runs_where_the_price_is_negative_and_the_rest_is_thrown_away():
    """Two hours of work on one server of 1 kW; the grid gives 5 kW for -0.2 $ in one hour."""
    prices = supply([0, 0, 0], [100_000, -200_000, 50_000])
    asked = cluster(prices, [job(hours=2, wait=1, curve=WIDE)], grid_mw=5 * KW)
    found = solve_for_clusters(asked)
    books = plan_books(found.plan)
    assert [int(n) for n in found.plan.busy[0]] == [0, 2, 0]
    assert found.value == found.bound == -5 * 200_000
    assert books.ledger.brown_mj == 2 * MJ_PER_KWH
    assert books.ledger.thrown_mj == 3 * MJ_PER_KWH
    assert books.ledger.brown_udollars == found.value
    assert found.plan.grid_mw == 5 * KW


def test_the_gap_of_a_plan_that_is_paid_is_relative_to_the_size_of_its_value():
    asked = cluster(supply([0, 0], -200_000), [job(curve=WIDE)], grid_mw=5 * KW)
    found = solve_for_clusters(asked)
    assert found.value == found.bound == -2_000_000
    for bound, gap_ppm, warnings in (
        (-2_000_000, 0, 0),
        (-2_000_003, 2, 1),
        (-2_100_000, 50_000, 1),
    ):
        one = replace(found, bound=bound)
        assert one.gap_ppm == gap_ppm
        settings = dict(cluster_settings(asked, one))
        assert settings["gap_ppm"] == gap_ppm
        remarks = cluster_remarks(asked, one)
        assert [each.code for each in remarks].count(Code.OPEN_GAP) == warnings
    assert "costs up to 5.00 % less" in remarks[0].message
    aim = replace(asked, search=PlanSearch(PlanMethod.COLUMNS, aim_ppm=100_000))
    assert Code.OPEN_GAP not in {each.code for each in cluster_remarks(aim, one)}


def test_without_a_grid_a_plan_has_no_negative_price():
    with pytest.raises(ValueError, match="only with `grid_mw`"):
        solve_for_clusters(cluster(supply([0], -1), [job(curve={1: 10**6})]))


@pytest.mark.parametrize("weights", [Weights(), Weights(1, 70_000, 333)], ids=["money", "all"])
@pytest.mark.parametrize("seed", range(12))
def test_plans_are_as_good_as_those_of_a_program_with_what_is_bought(seed, weights):
    made, rng = random_cluster(seed + 500), Random(seed)
    price = made.supply.brown_udollars_per_kwh * np.array([rng.choice([-1, 1]) for _ in range(4)])
    asked = replace(
        made,
        supply=replace(made.supply, brown_udollars_per_kwh=price),
        grid_mw=made.servers * (made.busy_mw + 2 * made.change_mj // made.epoch_s),
        weights=weights,
    )
    least = least_cost(asked)
    assert least is not None
    found = solve_for_clusters(asked)
    assert found.bound is not None
    assert found.bound - 1 <= least <= found.value + 1
    assert found.value <= least + 0.05 * abs(least) + 1


@pytest.mark.parametrize("method", [PlanMethod.ARRIVAL, PlanMethod.ANNEAL, PlanMethod.MIP])
def test_rigid_jobs_earn_what_the_books_say(method):
    for seed in range(8):
        made, rng = drawn(seed, jobs=3, epochs=4), Random(seed)
        price = np.array([rng.choice([-1, 1]) * rng.randrange(10**5) for _ in range(4)])
        asked = replace(
            made,
            supply=replace(made.supply, brown_udollars_per_kwh=price),
            grid_mw=made.racks * made.rack_servers * (made.busy_mw + made.migration_mj // 3_600),
            search=PlanSearch(method, steps=5),
        )
        found = solve_for_racks(asked)
        books = plan_books(found.plan)
        slots = RacksFormulation(asked).groups.charges.slot @ found.plan.busy.sum(axis=1)
        charged = int(slots) + MOVE_UDOLLARS * sum(books.moved)
        assert books.profit_udollars - found.value - charged < 3 * 4
        assert books.profit_udollars - found.value - charged >= 0
        assert found.bound is not None
        assert found.bound >= found.value


def test_a_negative_price_of_the_only_hour_changes_the_profit_alone():
    asked = problem(named(1, 0, 1, 2), green_w=[100])
    free = replace(asked.supply, brown_udollars_per_kwh=np.array([0]))
    paid = replace(asked.supply, brown_udollars_per_kwh=np.array([-300_000]))
    first = solve_for_racks(replace(asked, supply=free))
    second = solve_for_racks(replace(asked, supply=paid, grid_mw=2 * KW))
    assert second.plan.jobs == first.plan.jobs
    assert second.value == first.value + 600_000
    assert first.bound is not None
    assert second.bound == first.bound + 600_000


def test_a_battery_gives_nothing_while_power_is_paid_for():
    """It holds 1 kWh, which the job of either hour could use."""
    battery = Battery(MJ_PER_KWH, KW, KW, PPM, MJ_PER_KWH)
    for price, given in ((200_000, MJ_PER_KWH), (-200_000, 0)):
        asked = cluster(supply([0], price), [job(curve={1: 10**6})], grid_mw=5 * KW)
        found = solve_for_clusters(replace(asked, battery=battery))
        assert plan_books(found.plan).ledger.discharged_mj == given


def test_a_replay_buys_the_same_whatever_its_jobs_draw():
    for grid_mw, udollars in ((2 * KW, -60), (None, 0)):
        sums = []
        for demand_mj in (0, KW // 2 * 3_600):
            books = Books(None, grid_mw)
            books.add(demand_mj, 0, -60_000, 10, 1_800)
            books.add(demand_mj, 0, 0, 10, 1_800)
            sums.append(sum((one.brown_udollars for one in books.entries), Fraction(0)))
        assert sums == [1_000 * udollars] * 2


def test_the_thrown_energy_has_its_co2():
    books = Books(None, 2 * KW)
    books.add(0, 0, -60_000, 400_000, 3_600)
    (entry,) = books.entries
    assert (entry.brown_mj, entry.thrown_mj) == (0, 2 * MJ_PER_KWH)
    assert entry.brown_mg == 800_000


def test_a_grid_that_cannot_feed_the_servers_is_refused_with_what_they_need():
    supply: Any = SimpleNamespace(grid_mw=KW)
    horizon: Any = SimpleNamespace(epoch_s=3_600)
    with pytest.raises(TailcError) as caught:
        grid_of(supply, horizon, 100, KW, 3_600_000)
    (finding,) = caught.value.findings
    assert finding.code is Code.CONFLICT
    assert finding.message == "the grid gives 1.0 kW, but the servers may draw 100.1 kW"
    assert finding.help == "set `grid: 101kW` or more"
    assert grid_of(supply, horizon, 1, KW, 0) == KW


def test_a_spec_with_a_grid_is_compiled_and_verified_with_its_negative_prices(tmp_path):
    case = write(tmp_path)
    (tmp_path / "roof.csv").write_text(roof().replace(",9\n", ",-9\n"))
    text = SPEC.replace("  carbon:", "  grid: 1kW\n  carbon:")
    case.spec.write_text(text)
    compiled = compile_policy(str(case.spec), overrides={"method": "constant"})
    assert Code.NIGHT_CLAMPED not in {one.code for one in compiled.findings}
    plan = compiled.policy.plan
    assert plan is not None
    assert (plan.grid_mw, plan.later_jobs) == (KW, "constant")
    assert min(epoch.brown_udollars_per_kwh for epoch in plan.epochs) == -90_000
    held_out = read_held_out_days(compiled.policy, str(case.spec), 1)
    cost = replay_windows(compiled.policy, held_out, PlanOptions()).policy[JobQuantity.COST]
    # At night 1 kW is paid for with 9 cents an hour: 10 of 12 hours, less what is drawn by day.
    assert cost.parts.max() < -0.1
    for encode, decode in ((encode_json, decode_json), (encode_flat, decode_flat)):
        assert decode(encode(compiled.policy)).plan == plan
