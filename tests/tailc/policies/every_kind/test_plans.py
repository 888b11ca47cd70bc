"""Every kind that emits a plan: its energy, look-ups, prices and differences."""

from __future__ import annotations

import dataclasses
import itertools
import json

import pytest
import tailc_runtime

from tailc.artifact.files import write_policy
from tailc.forms.plan.plan import Plan, PoolPrices
from tailc.forms.plan.plan_books import plan_books
from tailc.forms.plan.quote import RigidJob, cheapest_width, quote
from tailc.forms.tail_table import PPM
from tailc.traces.zones import utc_text


@pytest.fixture
def plan(compiled) -> Plan:
    found = compiled.policy.plan
    if found is None:
        pytest.skip(f"kind `{compiled.policy.kind}` emits no plan")
    return found


def test_the_energy_and_money_of_a_plan_balance_in_every_epoch(plan):
    books = plan_books(plan)
    for entry in books.entries:
        assert entry.green_used_mj + entry.brown_mj == entry.demand_mj
        assert entry.green_used_mj + entry.spilled_mj == entry.green_mj
    assert books.short_mj == 0
    assert [job.name for job in books.jobs] == [job.name for job in plan.jobs]


def test_every_moment_of_a_plan_is_looked_up_alike(compiled, plan):
    embedded = tailc_runtime.open_plan(compiled.stem.with_suffix(".tailc"))
    for epoch in range(len(plan.epochs)):
        begins = plan.start_unix_s + epoch * plan.epoch_s
        for unix_s in (begins, begins + plan.epoch_s - 1):
            assert embedded.epoch_at(unix_s) == plan.epoch_at(unix_s) == epoch
            for job in plan.jobs:
                assert embedded.allocation(job.name, unix_s) == plan.allocation(job.name, epoch)
        assert embedded.free(epoch) == tuple(plan.free[:, epoch].tolist())
        for pool in range(len(plan.pools)):
            assert (embedded.source(pool, begins) == "green") is plan.is_green(pool, epoch)


def test_every_job_that_a_plan_does_not_know_is_priced_alike(compiled, plan):
    embedded = tailc_runtime.open_plan(compiled.stem.with_suffix(".tailc"))
    for first, epochs, width in itertools.product((0, len(plan.epochs) // 2), (1, 5), (1, 2, 7)):
        if plan.malleable is not None:
            widths = {width: epochs, 2 * width: -(-epochs // 2)}
            found = cheapest_width(plan, plan.free, first, widths)
            assert embedded.cheapest_width(first, widths) == found
            continue
        for green_ppm in (0, PPM // 2, PPM):
            price = quote(plan, plan.free, RigidJob(first, epochs, width, green_ppm))
            got = embedded.quote(first, epochs, width, green_ppm)
            assert got[:3] == (price.pays_udollars, price.worth_udollars, price.green_slots)
            assert got.is_admitted == price.is_admitted


def test_the_command_line_looks_up_plans_as_the_library_does(compiled, plan, tailc):
    words = ("--at", utc_text(plan.start_unix_s), "--output-format", "json")
    moment = json.loads(tailc("lookup", compiled.stem, *words).out)["result"]
    assert [pool["free"] for pool in moment["pools"]] == plan.free[:, 0].tolist()
    for job in plan.jobs[:3]:
        moment = json.loads(tailc("lookup", compiled.stem, "--job", job.name, *words).out)["result"]
        places = [
            (plan.pools[pool].name, held) for pool, held in plan.allocation(job.name, 0) or ()
        ]
        assert [(one["pool"], one["servers"]) for one in moment["places"]] == places


def test_a_policy_differs_from_one_with_another_price(compiled, plan, tailc, tmp_path):
    first, *others = plan.prices
    dearer = PoolPrices((first.udollars[0] + 1, *first.udollars[1:]))
    changed = dataclasses.replace(plan, prices=(dearer, *others))
    write_policy(dataclasses.replace(compiled.policy, forms=(changed,)), tmp_path / "changed")
    words = (compiled.stem, tmp_path / "changed", "--exit-code", "--output-format", "json")
    ended = tailc("diff", *words)
    assert ended.code == 2
    forms = json.loads(ended.out)["result"]["forms"]["plan"]
    assert [epoch["first_unix_s"] for epoch in forms["epochs"]] == [plan.start_unix_s]
    assert forms["jobs"] == []
