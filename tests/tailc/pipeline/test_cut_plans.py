"""A plan that is cut at any epoch and continued is as good as the plan in one piece."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from tailc.forecasts.days import Days, Energy
from tailc.forms.plan.plan_books import green_slots, plan_books
from tailc.forms.plan.state import CarriedOutPlan, Events
from tailc.pipeline.malleable_jobs.solve import solve_for_clusters
from tailc.pipeline.rigid_jobs.formulation import MOVE_UDOLLARS
from tailc.pipeline.rigid_jobs.solve import solve_for_racks
from tailc.policies.green_sla import KIND as SLA
from tailc.policies.green_sla.spec import GreenSlaSpec
from tailc.policies.greenpar import KIND as PAR
from tailc.policies.greenpar.spec import GreenParSpec
from tailc.problems.resumption import resumption_of
from tailc.traces.jobs.log import Applications, JobLog
from tailc.traces.series.series import SeriesQuantity, of_values

HOUR_S, EPOCHS, FIRST, START_S = 3_600, 6, 24, 1_591_056_000
COMMON = {
    "apiVersion": "tailc/v1",
    "name": "cut",
    "supply": {"green": [{"trace": "r", "column": "w", "unit": "W"}], "price": "10c/kWh"},
    "horizon": {
        "start": "2020-06-03T00:00Z",
        "length": f"{EPOCHS}h",
        "epoch": "1h",
        "known_jobs": "all",
        "learn_from": 1,
    },
}


def days(seed, most_w, jobs, longest, widths):
    """A day of energy before the plan, and jobs of which some run when it begins."""
    rng = Random(seed)
    steps = FIRST + EPOCHS
    power, price, carbon = (
        of_values(quantity, START_S, HOUR_S, np.array(values), "made")
        for quantity, values in (
            (SeriesQuantity.POWER, [float(rng.randint(0, most_w)) for _ in range(steps)]),
            (SeriesQuantity.PRICE, [rng.choice([0.05, 0.1, 0.3]) for _ in range(steps)]),
            (SeriesQuantity.CARBON, [100.0] * steps),
        )
    )
    submit = sorted((FIRST + rng.randint(-1, EPOCHS - 2)) * HOUR_S for _ in range(jobs))
    log = JobLog(
        number=np.arange(1, jobs + 1),
        submit_s=np.array(submit),
        run_s=np.array([rng.randint(1, longest) * HOUR_S for _ in submit]),
        width=np.array([rng.choice(widths) for _ in submit]),
        requested_s=np.zeros(jobs, np.int64),
        source="made",
        green_ppm=np.array([rng.choice([0, 250_000, 500_000, 1_000_000]) for _ in submit]),
        applications=Applications(("app",), np.zeros(jobs, np.int64)),
    )
    return Days(log, Energy(power, price, carbon), FIRST, EPOCHS, np.zeros((0, EPOCHS)))


def rest_of(made, cut):
    return replace(
        made, first=FIRST + cut, epochs=EPOCHS - cut, scenarios=np.zeros((0, EPOCHS - cut))
    )


def cut_at(plan, cut):
    state = CarriedOutPlan(plan).state_after(cut, Events(knows_all=True))
    return state, resumption_of(state, plan)


SLA_SPEC = GreenSlaSpec.model_validate(
    COMMON
    | {
        "kind": "green-sla",
        "jobs": {"trace": "jobs.swf"},
        "datacentre": {"racks": 2, "servers": 2, "busy": "100W", "migration": "20kJ"},
        "terms": {"green": "29c/h", "brown": "24c/h", "penalty": "50c/h"},
        "opportunity_cost": "0c/h",
        "enforce_violations": False,
    }
)


def brown_udollars(plan, past=None):
    return sum(one.brown_udollars for one in plan_books(plan).entries[:past])


def income(plan, state, rest):
    """What jobs pay in all, from their slots in both pieces."""
    terms, received = plan.terms, {job.name: job.green_slots for job in state.running}
    later = {job.name: job for job in rest.jobs}
    before = {job.name: job for job in plan.jobs}
    running = {job.name for job in state.running}
    total = 0
    for name in {*before, *later}:
        one = before[name] if name in running or name not in later else later[name]
        if name not in running and name not in later and name in state.waiting:
            continue
        green = green_slots(plan, one) if name in before and name not in later else 0
        if name in later:
            green = received.get(name, 0) + green_slots(rest, later[name])
        promised = one.green_slots
        total += promised * terms.green_udollars + (one.slots - promised) * terms.brown_udollars
        total -= max(0, promised - green) * terms.penalty_udollars
    return total


@pytest.mark.parametrize("seed", range(10))
def test_rigid_jobs_in_two_pieces_are_worth_at_least_as_much(seed):
    made = days(seed, 450, 5, 4, [1, 2, 3])
    whole = solve_for_racks(SLA.reduce(SLA_SPEC, made))
    books = plan_books(whole.plan)
    assert whole.bound is not None
    cut = 1 + seed % (EPOCHS - 1)
    state, resumption = cut_at(whole.plan, cut)
    rest = solve_for_racks(SLA.resume(SLA_SPEC, rest_of(made, cut), resumption)).plan
    profit = income(whole.plan, state, rest) - brown_udollars(whole.plan, cut)
    profit -= brown_udollars(rest)
    # Moves are charged besides, and bills are rounded up in each epoch.
    charged = MOVE_UDOLLARS * (sum(books.moved) + sum(plan_books(rest).moved)) + 2 * EPOCHS
    assert profit >= books.profit_udollars - charged, cut
    assert profit <= whole.bound + charged, cut


PAR_SPEC = GreenParSpec.model_validate(
    COMMON
    | {
        "kind": "greenpar",
        "jobs": {"trace": "jobs.swf", "applications": {"app": 1}},
        "cluster": {"servers": 6, "busy": "100W", "change": "2kJ", "counts": [1, 2, 4]},
        "speedup": {"app": {"1": 1, "2": 1.8, "3": 2.4, "4": 3}},
        "vms_per_server": [1],
        "slowdown": 1.5,
        "run_time": {"cost": "3c/h"},
        "search": {"gap": "0.01%"},
    }
)


def run_s(jobs, plan, state, rest):
    """Run time of all jobs, exactly, from the servers of both pieces."""
    total = 0
    progress = {one.name: dict(one.ran_s) for one in state.running}
    for job in jobs:
        curve = job.speedup_ppm[min(job.speedup_ppm)]
        left = job.work_s * 1_000_000
        for count, seconds in progress.get(job.name, {}).items():
            left -= curve[count] * seconds
            total += seconds
        piece = rest if job.name in progress or job.name in state.waiting else plan
        for epoch in range(len(piece.epochs)):
            count = sum(servers for _, servers in piece.allocation(job.name, epoch) or ())
            if count and left > 0:
                took = min(HOUR_S, -(-left // curve[count]))
                left, total = left - curve[count] * took, total + took
        assert left <= 0, job.name
    return total


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5, 6])
def test_malleable_jobs_in_two_pieces_cost_no_more_than_the_gap(seed):
    """Jobs that end within the horizon, so that all of their time is in the pieces."""
    made = days(seed, 500, 3, 2, [1, 2])
    early = made.jobs.submit_s <= (FIRST + 2) * HOUR_S
    made = replace(made, jobs=made.jobs.part(early & (made.jobs.submit_s >= FIRST * HOUR_S)))
    problem = PAR.reduce(PAR_SPEC, made)
    whole = solve_for_clusters(problem)

    def cost(plan, state, rest, past):
        hours = run_s(problem.jobs, plan, state, rest) / HOUR_S / len(problem.jobs)
        brown = brown_udollars(plan, past) + (0 if rest is plan else brown_udollars(rest))
        return float(brown) + problem.run_cost * hours

    nothing, _ = cut_at(whole.plan, 0)
    none_left = replace(nothing, waiting=())
    in_one = cost(whole.plan, none_left, whole.plan, None)
    for cut in (1, 3):
        state, resumption = cut_at(whole.plan, cut)
        rest = solve_for_clusters(PAR.resume(PAR_SPEC, rest_of(made, cut), resumption)).plan
        in_two = cost(whole.plan, state, rest, cut)
        assert in_two <= in_one * 1.001 + 10 * EPOCHS, (seed, cut)
