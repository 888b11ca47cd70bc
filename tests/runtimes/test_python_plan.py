"""The Python runtime's plan, beside that of the form."""

from __future__ import annotations

import json
from dataclasses import astuple, fields
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tailc_runtime import BadMeaning, OtherForm, Plan, open_any, open_plan, open_policy, open_shares
from tailc_runtime.opening import policy_from
from tailc_runtime.plan_vectors import wrong_calls
from tailc_runtime.vectors import rows_of

from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json
from tailc.forms.plan import plan as form
from tailc.forms.plan.quote import RigidJob, cheapest_width, quote
from tests.runtimes.python_controller_case import numbers_in, refusals
from tests.tailc.artifact.published import VECTORS, changed_json, policy_of
from tests.tailc.artifact.random_policies import random_plan_policy

SEEDS = st.integers(0, 2**32)
PPM = 1_000_000
LARGEST = 2**53 - 1
NOON, QUARTER_S = 1_338_552_000, 900


def racks() -> Plan:
    return open_plan(VECTORS / "plan.tailc")


def cluster() -> Plan:
    return open_plan(VECTORS / "plan-cluster.tailc")


def places_in(plan: Plan, spans: Any) -> Any:
    places = np.zeros((len(plan.pools), len(plan.epochs)), np.int64)
    for pool, first, epochs, servers in spans:
        places[pool, first : first + epochs] += servers
    return places


def free_of(plan: Plan) -> Any:
    return np.array([plan.free(epoch) for epoch in range(len(plan.epochs))]).T


def test_a_moment_has_its_epoch_its_buses_and_its_allocation() -> None:
    plan = racks()
    assert [plan.epoch_at(NOON + s) for s in (-1, 0, 899, 900, 14_399, 14_400)] == [
        None, 0, 0, 1, 15, None
    ]  # fmt: skip
    at_eight = NOON + 8 * QUARTER_S
    assert [plan.source(pool, NOON) for pool in range(4)] == ["brown"] * 4
    assert [plan.source(pool, at_eight) for pool in range(4)] == ["green"] * 4
    assert [plan.source(pool, at_eight - 1) for pool in range(4)] == ["brown"] + ["green"] * 3
    assert plan.source(0, NOON - 1) is plan.source(4, NOON) is plan.source(-1, NOON) is None
    assert plan.allocation("render/7", at_eight) == ((1, 4), (3, 4))
    assert plan.allocation("render/7", NOON) == ()
    assert plan.allocation("render/7", NOON - 1) is plan.allocation("nobody", NOON) is None


def test_on_one_bus_every_pool_is_mixed() -> None:
    assert {cluster().source(pool, NOON) for pool in (0, 1)} == {"mixed"}


def test_a_job_that_is_admitted_takes_room_until_it_is_released() -> None:
    plan = racks()
    before, told = plan.free(3), plan.quote(3, 2, 8, 0)
    assert told.is_admitted
    assert plan.admit("new", 3, 2, 8) == told
    assert sum(plan.free(3)) == sum(before) - 8
    assert sum(n for _, n in plan.allocation("new", NOON + 3 * QUARTER_S) or ()) == 8
    plan.release("new", 4)
    assert plan.allocation("new", NOON + 4 * QUARTER_S) == ()
    plan.release("new", 3)
    assert "new" not in plan.jobs
    assert plan.free(3) == before


def test_a_job_that_is_refused_takes_no_room() -> None:
    plan = racks()
    before = free_of(plan).tolist()
    assert not plan.admit("wide", 0, 1, 57).is_admitted
    dear = next(told for first in range(16) for told in (plan.quote(first, 3, 8, PPM),)
                if told.places and not told.is_admitted)  # fmt: skip
    assert dear.pays_udollars <= dear.worth_udollars
    assert free_of(plan).tolist() == before
    assert plan.allocation("wide", NOON) is None


def test_a_malleable_job_takes_the_cheapest_places_of_its_width() -> None:
    plan = cluster()
    width = plan.cheapest_width(8, {1: 4, 2: 2, 4: 1})
    assert width == 4
    places = plan.take("new", 8, 1, width)
    assert places
    assert sum(span.servers for span in places) == 4
    assert plan.take("more", 8, 1, 13) is None
    assert "more" not in plan.jobs


@pytest.mark.parametrize(
    ("asks", "said"),
    [
        (lambda: racks().quote(-1, 1, 1), "a job must start in epoch 0 or later, with 1 to 2"),
        (lambda: racks().quote(0, 0, 1), "a job must start in epoch 0 or later, with 1 to 2"),
        (
            lambda: racks().quote(0, 1, 2**20 + 1),
            "a job must start in epoch 0 or later, with 1 to 2",
        ),
        (
            lambda: racks().quote(0, 1, 1, PPM + 1),
            "the share of green energy must be 0 to 1,000,000",
        ),
        (lambda: racks().admit("render/7", 0, 1, 1), "that no other job of the plan has"),
        (
            lambda: racks().admit("", 0, 1, 1),
            "job `` must have a name that no other job of the plan has",
        ),
        (lambda: racks().release("nobody", 0), "the plan has no job `nobody`"),
        (lambda: racks().cheapest_width(0, {1: 1}), "rigid"),
        (lambda: cluster().quote(0, 1, 1), "malleable"),
        (
            lambda: cluster().cheapest_width(0, {0: 1}),
            "a job must start in epoch 0 or later, with 1 to 2",
        ),
        (lambda: cluster().take("grows", 0, 1, 1), "that no other job of the plan has"),
    ],
)
def test_a_question_that_means_nothing_is_an_error(asks: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        asks()


def test_the_plan_tells_what_the_form_does() -> None:
    """Of every field of the form, so that none is forgotten."""
    for name, suffix in product(("plan", "plan-battery-racks"), ("json", "tailc")):
        wanted = policy_of(name).plan
        assert wanted
        got = open_plan(VECTORS / f"{name}.{suffix}")
        for field in fields(form.Plan):
            told = getattr(wanted, field.name)
            if field.name == "jobs":
                assert got.jobs == tuple(job.name for job in told)
            elif field.name == "prices":
                assert got.prices == tuple(one.udollars for one in told)
            elif field.name in ("terms", "battery") and told is not None:
                assert getattr(got, field.name) == astuple(told)
            elif field.name in ("pools", "epochs"):
                theirs = getattr(got, field.name)
                assert [vars(one) for one in told] == [vars(one) for one in theirs]
            else:
                assert getattr(got, field.name) == told


def test_a_battery_tells_what_it_does_in_an_epoch_and_holds_at_its_end() -> None:
    """13 epochs' edges of an hour: it gives what it held first, and is charged at noon."""
    plan = open_plan(VECTORS / "plan-battery.tailc")
    assert plan.battery
    assert plan.battery.first_mj == 200_000_001
    assert plan.stored(NOON) == (-200_000_001, 0)
    # 25.2 kJ go in, of which 85.3217 % stay.
    assert plan.stored(NOON + 2 * 3_600) == (25_200_000, 21_501_068)
    assert plan.stored(NOON - 1) is plan.stored(NOON + 12 * 3_600) is racks().stored(NOON) is None


@given(SEEDS)
def test_batteries_hold_as_much_as_in_the_form(seed: int) -> None:
    policy = random_plan_policy(Random(seed))
    plan, wanted = policy_from(encode_flat(policy)), policy.plan
    assert isinstance(plan, Plan)
    assert wanted
    states = wanted.battery.states_mj(wanted.battery_mj) if wanted.battery else ()
    for epoch, state_mj in enumerate(states):
        told = plan.stored(wanted.start_unix_s + epoch * wanted.epoch_s)
        assert told == (wanted.battery_mj[epoch], state_mj)


def test_a_policy_of_another_form_is_no_damage_but_an_error() -> None:
    planned, lucene = VECTORS / "plan.tailc", VECTORS / "lucene.tailc"
    for opens, path, words in (
        (open_policy, planned, "has a plan, not ladders"),
        (open_shares, planned, "has a plan, not shares"),
        (open_plan, lucene, "has ladders, not a plan"),
    ):
        with pytest.raises(OtherForm, match=words):
            opens(path)
    assert isinstance(open_any(planned), Plan)


@given(SEEDS, st.booleans())
def test_jobs_are_priced_and_placed_as_by_the_form(seed: int, flat: bool) -> None:
    """One after the other, each on what those before it leave."""
    rng = Random(seed)
    policy = random_plan_policy(rng)
    plan = policy_from((encode_flat if flat else encode_json)(policy))
    wanted = policy.plan
    assert isinstance(plan, Plan)
    assert wanted
    assert free_of(plan).tolist() == wanted.free.tolist()
    for number in range(6):
        free = free_of(plan)
        first, epochs, width = rng.randrange(7), rng.randint(1, 7), rng.randint(1, 12)
        if wanted.malleable:
            widths = {width: epochs, width + 1: max(1, epochs - 1)}
            assert plan.cheapest_width(first, widths) == cheapest_width(wanted, free, first, widths)
            plan.take(f"new {number}", first, epochs, width)
            continue
        green_ppm = rng.choice((0, PPM, rng.randint(0, PPM)))
        told = quote(wanted, free, RigidJob(first, epochs, width, green_ppm))
        got = plan.admit(f"new {number}", first, epochs, width, green_ppm)
        assert got[:3] == (told.pays_udollars, told.worth_udollars, told.green_slots)
        assert got.is_admitted == told.is_admitted
        if told.places is None:
            assert got.places is None
        else:
            assert (places_in(plan, got.places) == told.places).all()
            assert (free - free_of(plan) == told.places * told.is_admitted).all()


@given(SEEDS)
def test_moments_are_as_in_the_form(seed: int) -> None:
    rng = Random(seed)
    policy = random_plan_policy(rng)
    plan, wanted = policy_from(encode_flat(policy)), policy.plan
    assert isinstance(plan, Plan)
    assert wanted
    for _ in range(12):
        unix_s = wanted.start_unix_s + rng.randint(-1, len(wanted.epochs) * wanted.epoch_s)
        epoch = wanted.epoch_at(unix_s)
        assert plan.epoch_at(unix_s) == epoch
        for job in wanted.jobs:
            held = None if epoch is None else wanted.allocation(job.name, epoch)
            assert plan.allocation(job.name, unix_s) == held


def with_numbers(rng: Random, name: str, paths: list[tuple[str | int, ...]]) -> bytes:
    """The policy with one or two of its numbers replaced by suspicious ones."""

    def change(document: Any) -> None:
        for path in rng.sample(paths, rng.choice((1, 1, 2))):
            part = document["forms"]
            for key in path[:-1]:
                part = part[key]
            old = part[path[-1]]
            drawn = rng.choice((0, 1, -1, old + 1, old - 1, -old, 2 * old, PPM, 2**31))
            part[path[-1]] = min(drawn, LARGEST)

    return changed_json(change, name=name)


@pytest.mark.parametrize(
    "name",
    ["plan", "plan-cluster", "plan-extremes", "plan-battery", "plan-battery-racks"],
)
@pytest.mark.parametrize("count", [150, pytest.param(10_000, marks=pytest.mark.fuzz)])
def test_other_numbers_are_refused_by_both_readers_or_by_none(name: str, count: int) -> None:
    forms = json.loads((VECTORS / f"{name}.json").read_bytes())["forms"]
    paths = list(numbers_in(forms))
    rng = Random(count)
    found = [refusals(with_numbers(rng, name, paths)) for _ in range(count)]
    assert set(found) == {(True, True), (False, False)}


def test_a_plan_of_more_epochs_than_can_be_is_refused() -> None:
    def change(policy: Any) -> None:
        plan = policy["forms"][0]
        plan["epochs"] = plan["epochs"][:1] * (2**14 + 1)
        plan["prices"] = [{"udollars": [0] * (2**14 + 1)}]

    data = changed_json(change, name="plan-smallest")
    with pytest.raises(BadMeaning, match="must have at most 2"):
        policy_from(data)
    assert refusals(data) == (True, True)


def test_a_wrong_call_is_reported_with_what_was_wanted() -> None:
    rows = rows_of(VECTORS / "plans" / "plan.csv")[1][:5]
    path = VECTORS / "plan.tailc"
    assert wrong_calls(path, rows) == []
    (wrong,) = wrong_calls(path, [*rows[:4], {**rows[4], "answer": "9"}])
    assert "moments, line 4, is ('1', '', '', '', ''), wanted ('9'" in wrong
