"""What differs between two plans."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.artifact.files import write_policy
from tailc.diff.plans import SAME_PLAN, JobChangeKind, plan_change
from tailc.diff.structure import compare_structure
from tailc.forms.plan.plan import Plan, PlannedJob, PoolPrices, Span
from tailc.forms.plan.plan_books import plan_books
from tests.tailc.artifact.published import VECTORS, plan_policy, policy_of
from tests.tailc.cli.json_schemas import DIFF, OUTPUT
from tests.tailc.forms.plan.random_plans import random_plan
from tests.tailc.schemas import validate

SEEDS = st.integers(0, 2**32)
START, QUARTER_S = 1_338_552_000, 900


def plan_in(vector: str) -> Plan:
    found = policy_of(vector).plan
    assert found
    return found


RACKS = plan_in("plan")


def with_job(number: int, **parts) -> Plan:
    jobs = list(RACKS.jobs)
    jobs[number] = replace(jobs[number], **parts)
    return replace(RACKS, jobs=tuple(jobs))


def hows(new: Plan, old: Plan = RACKS) -> dict[str, JobChangeKind]:
    return {job.name: job.how for job in plan_change(old, new).jobs}


@given(SEEDS)
def test_a_plan_differs_in_nothing_from_itself(seed):
    found = random_plan(Random(seed))
    assert not plan_change(found, found)
    assert plan_change(found, replace(found)) == SAME_PLAN


@given(SEEDS, SEEDS)
def test_what_a_change_costs_is_told_the_same_both_ways(one, two):
    old, new = random_plan(Random(one)), random_plan(Random(two))
    there, back = plan_change(old, new), plan_change(new, old)
    assert bool(there) == bool(back)
    assert [(c.name, c.old, c.new) for c in there.costs] == [
        (c.name, c.new, c.old) for c in back.costs
    ]
    dropped = {job.name for job in there.jobs if job.how is JobChangeKind.DROPPED}
    admitted = {job.name for job in back.jobs if job.how is JobChangeKind.ADMITTED}
    assert dropped <= admitted


@pytest.mark.parametrize(
    ("new", "how"),
    [
        (
            with_job(1, spans=(Span(1, 2, 14, 4), Span(2, 2, 4, 4), Span(3, 6, 10, 4))),
            JobChangeKind.MOVED,
        ),
        (with_job(1, spans=(Span(1, 2, 14, 4), Span(3, 2, 14, 3))), JobChangeKind.NARROWED),
        (with_job(0, spans=(Span(0, 0, 6, 12), Span(2, 6, 4, 12))), JobChangeKind.WIDENED),
        (with_job(1, spans=(Span(1, 1, 14, 4), Span(3, 1, 14, 4))), JobChangeKind.SHIFTED),
        (with_job(1, green_slots=29), JobChangeKind.PROMISED),
    ],
)
def test_a_job_in_both_plans_is_told_by_what_becomes_of_it(new, how):
    assert list(hows(new).values()) == [how]


def test_jobs_of_one_plan_alone_are_admitted_or_dropped():
    new = replace(RACKS, jobs=(*RACKS.jobs[:2], PlannedJob("new", (Span(3, 0, 2, 1),), 0)))
    assert hows(new) == {"new": JobChangeKind.ADMITTED, "Zürich": JobChangeKind.DROPPED}
    change = next(job for job in plan_change(RACKS, new).jobs if job.name == "Zürich")
    assert (change.first_unix_s, change.epochs) == (START + 4 * QUARTER_S, 12)
    assert change.old is not None
    assert (change.old.slots, change.new) == (224, None)


def test_an_epoch_that_brings_something_else_is_told_by_its_time():
    epochs = list(RACKS.epochs)
    epochs[3] = replace(epochs[3], green_mw=1, first_green_pool=4)
    prices = (PoolPrices((7, *RACKS.prices[0].udollars[1:])), *RACKS.prices[1:])
    found = plan_change(RACKS, replace(RACKS, epochs=tuple(epochs), prices=prices)).epochs
    assert [epoch.first_unix_s - START for epoch in found] == [0, 3 * QUARTER_S]
    assert [(c.what, c.old, c.new) for c in found[0].changes] == [
        ("price of racks 1-3", "$0.045", "$0.000007")
    ]
    assert [(c.what, c.new) for c in found[1].changes] == [
        ("green power", "1 mW"), ("green bus", "none")
    ]  # fmt: skip


def test_a_negative_price_and_the_power_of_the_grid_are_changes():
    epochs = (replace(RACKS.epochs[0], brown_udollars_per_kwh=-95_000), *RACKS.epochs[1:])
    paid = replace(RACKS, epochs=epochs, grid_mw=10**9)
    found = plan_change(RACKS, paid)
    assert [(c.what, c.new) for c in found.epochs[0].changes] == [
        ("brown price", "-$0.095/kWh"),
    ]
    assert [(c.what, c.old, c.new) for c in found.settings] == [
        ("power of the grid", "none", "1000 kW")
    ]
    assert plan_change(paid, replace(paid, grid_mw=2 * 10**9)).settings


def later(epochs: int) -> Plan:
    """The same plan made so many epochs later, at the end of which nothing is known to happen."""
    jobs = []
    for job in RACKS.jobs:
        spans = [
            replace(
                span,
                first_epoch=max(span.first_epoch - epochs, 0),
                epochs=span.epochs - max(epochs - span.first_epoch, 0),
            )
            for span in job.spans
            if span.past > epochs
        ]
        jobs.append(replace(job, spans=tuple(spans)))
    return replace(
        RACKS,
        start_unix_s=START + epochs * QUARTER_S,
        epochs=RACKS.epochs[epochs:],
        prices=tuple(PoolPrices(one.udollars[epochs:]) for one in RACKS.prices),
        jobs=tuple(jobs),
    )


def test_a_plan_that_begins_later_is_compared_at_the_same_moments():
    change = plan_change(RACKS, later(3))
    assert change.shared_epochs == 13
    assert [setting.what for setting in change.settings] == ["horizon"]
    assert not change.epochs
    assert [job.how for job in change.jobs] == []
    books = plan_books(RACKS)
    drawn = next(cost for cost in change.costs if cost.name == "demand_mj")
    assert drawn.old == sum(entry.demand_mj for entry in books.entries[3:])


def test_a_job_that_ended_before_the_newer_plan_begins_is_no_difference():
    short = PlannedJob("short", (Span(3, 0, 2, 1),), 0)
    old = replace(RACKS, jobs=(*RACKS.jobs, short))
    assert not plan_change(old, later(3)).jobs
    assert hows(later(1), old) == {"short": JobChangeKind.DROPPED}


def test_plans_on_other_grids_share_no_epoch():
    for new in (replace(RACKS, start_unix_s=START + 1), replace(RACKS, epoch_s=600)):
        change = plan_change(RACKS, new)
        assert change
        assert (change.shared_epochs, change.epochs) == (0, ())


def test_costs_are_those_of_the_books():
    new = replace(RACKS, jobs=RACKS.jobs[:2])
    costs = {cost.name: (cost.old, cost.new) for cost in plan_change(RACKS, new).costs}
    for place, books in enumerate((plan_books(RACKS), plan_books(new))):
        assert costs["brown_mj"][place] == books.ledger.brown_mj
        assert costs["brown_udollars"][place] == round(books.ledger.brown_udollars)
        assert costs["moved_servers"][place] == sum(books.moved)
        paid = sum(job.fees_udollars for job in books.jobs)
        assert costs["fees_udollars"][place] == paid


def test_a_battery_differs_in_what_it_can_and_in_what_it_does():
    old = plan_in("plan-battery")
    assert old.battery
    larger = replace(old.battery, capacity_mj=4 * 10**9, discharge_mw=500_000)
    epochs = (*old.epochs[:-1], replace(old.epochs[-1], battery_mj=-1))
    change = plan_change(old, replace(old, battery=larger, epochs=epochs))
    assert [(one.what, one.old, one.new) for one in change.settings] == [
        ("battery", "3600000000 mJ", "4000000000 mJ"),
        ("power of the battery", "charges at up to 600 W, discharges at up to 400 W",
         "charges at up to 600 W, discharges at up to 500 W"),
    ]  # fmt: skip
    (epoch,) = change.epochs
    assert [(one.old, one.new) for one in epoch.changes] == [("gives 331200000 mJ", "gives 1 mJ")]
    costs = {cost.name: (cost.old, cost.new) for cost in change.costs}
    given = 200_000_001 + 21_501_068
    assert costs["discharged_mj"] == (given + 331_200_000, given + 1)
    assert costs["brown_mj"][1] - costs["brown_mj"][0] == 331_200_000 - 1
    assert costs["lost_mj"][0] == costs["lost_mj"][1] > 0


def test_a_battery_that_one_plan_alone_has_is_told_by_epoch():
    old = plan_in("plan-battery")
    change = plan_change(old.without_battery(), old)
    assert change.settings[0].old == "none"
    assert len(change.epochs) == 12
    assert {one.old for epoch in change.epochs for one in epoch.changes} == {None}


def test_a_later_plan_holds_what_the_older_one_does_at_its_start():
    old = plan_in("plan-battery")
    assert old.battery
    held_mj = old.battery.states_mj(old.battery_mj)[6]
    parts = {
        "start_unix_s": old.start_unix_s + 7 * 3_600,
        "epochs": old.epochs[7:],
        "prices": tuple(replace(one, udollars=one.udollars[7:]) for one in old.prices),
        "jobs": (PlannedJob("waits", (Span(0, 0, 1, 2), Span(1, 0, 2, 1)), 0),),
        "battery": replace(old.battery, first_mj=held_mj),
    }
    assert [one.what for one in plan_change(old, replace(old, **parts)).settings] == ["horizon"]
    less = {**parts, "battery": replace(old.battery, first_mj=held_mj - 1)}
    told = [one.what for one in plan_change(old, replace(old, **less)).settings]
    assert told == ["horizon", "stored in the battery at first"]


@pytest.fixture
def changed(tmp_path):
    """Other jobs, and half of the sun from epoch 10 on."""
    jobs = (*with_job(0, spans=(Span(0, 0, 6, 12), Span(2, 6, 4, 12))).jobs[:2],)
    epochs = tuple(
        replace(epoch, green_mw=epoch.green_mw // 2) if number > 9 else epoch
        for number, epoch in enumerate(RACKS.epochs)
    )
    forms = (replace(RACKS, jobs=jobs, epochs=epochs),)
    write_policy(replace(plan_policy(), forms=forms), tmp_path / "new")
    return tmp_path / "new"


def test_the_command_says_which_jobs_and_epochs_change_and_what_it_costs(tailc, changed):
    ended = tailc("diff", VECTORS / "plan", changed, "--exit-code")
    assert ended.code == 2
    lines = ended.out.splitlines()
    for line in (
        "jobs: 1 on more servers, 1 dropped",
        "  morning-batch: on more servers from 2012-06-01T12:00Z, 10 epochs; "
        "slots 100 -> 120, green 40 -> 48",
        "  2012-06-01T14:30Z: green power: 6.941 kW -> 3.4705 kW",
        "  servers moved                     18      12       -6",
    ):
        assert line in lines
    assert tailc("diff", VECTORS / "plan", VECTORS / "plan", "--exit-code").code == 0


def test_the_document_has_all_of_it(tailc, changed):
    ended = tailc("diff", VECTORS / "plan", changed, "--output-format", "json")
    document = json.loads(ended.out)
    validate(document, OUTPUT)
    validate(document["result"], DIFF)
    told = document["result"]["forms"]["plan"]
    assert [(job["name"], job["change"]) for job in told["jobs"]] == [
        ("morning-batch", "widened"), ("Zürich", "dropped")
    ]  # fmt: skip
    assert len(told["epochs"]) == 6
    assert {cost["unit"] for cost in told["costs"]} == {"shared epochs", "jobs"}
    charged = tailc("diff", VECTORS / "plan-cluster", VECTORS / "plan-battery",
                    "--output-format", "json")  # fmt: skip
    validate(json.loads(charged.out)["result"], DIFF)
    markdown = tailc("diff", VECTORS / "plan", changed, "--output-format", "markdown").out
    assert "| servers moved | 18 | 12 | -6 |" in markdown
    github = tailc("diff", VECTORS / "plan", changed, "--output-format", "github").out
    assert "changes of its jobs: 2, of its epochs: 6" in github


def test_many_changes_are_told_in_forty_lines(tailc, tmp_path):
    jobs = tuple(PlannedJob(f"job {n}", (Span(0, n % 16, 1, 1),), 0) for n in range(90))
    epochs = tuple(replace(epoch, green_mw=epoch.green_mw + 1) for epoch in RACKS.epochs)
    forms = (replace(RACKS, jobs=jobs, epochs=epochs),)
    write_policy(replace(plan_policy(), forms=forms), tmp_path / "new")
    out = tailc("diff", VECTORS / "plan", tmp_path / "new").out
    assert len(out.splitlines()) <= 40
    assert "jobs: 90 admitted, 3 dropped" in out
    assert "penalties" in out or "fees of jobs" in out
    whole = json.loads(
        tailc("diff", VECTORS / "plan", tmp_path / "new", "--output-format", "json").out
    )
    assert len(whole["result"]["forms"]["plan"]["jobs"]) == 93


def test_a_plan_beside_something_else_is_one_change(tailc):
    out = tailc("diff", VECTORS / "shares", VECTORS / "plan").out
    assert "  plan: none -> 3 jobs in 16 epochs from 2012-06-01T12:00Z" in out


def test_another_rule_for_later_jobs_is_a_change_of_the_plan():
    policy = plan_policy()
    ruled = replace(policy, evidence=replace(policy.evidence, method="first-fit"))
    found = compare_structure(policy, ruled)
    assert [(one.what, one.old, one.new) for one in found.plan.settings] == [
        ("later jobs", "by prices", "by first-fit")
    ]
    assert found.changes_behaviour
    assert not compare_structure(ruled, replace(ruled)).plan
