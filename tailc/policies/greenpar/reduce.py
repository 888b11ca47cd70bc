"""Formulate a greenpar spec as a problem of malleable jobs on a cluster."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from tailc.errors import Code, Finding, TailcError
from tailc.forecasts.days import Days
from tailc.forms.plan.ledger import MJ_PER_KWH
from tailc.forms.plan.plan import planner_of
from tailc.models.datacentre.later_jobs import LaterJobs
from tailc.policies.greenpar.cluster_spec import RunTimeSpec
from tailc.policies.greenpar.jobs_of_log import KnownMalleableJobs, LoggedJobs
from tailc.policies.greenpar.spec import DAY_S, GreenParSpec
from tailc.problems.malleable_jobs import ClusterProblem
from tailc.problems.plan import ExpectedSupply, PlanMethod, PlanSearch, Weights
from tailc.problems.plan_of_spec import battery_of, grid_of, supply_of, weights_of
from tailc.problems.resumption import Resumption
from tailc.units import plural

S_PER_H = 3_600


def candidates(spec: GreenParSpec) -> tuple[GreenParSpec, ...]:
    """Return the spec itself: this kind of policy compares no alternatives."""
    return (spec,)


def later_jobs(spec: GreenParSpec) -> LaterJobs:
    """The method and the speed-ups by which the spec decides about jobs that its plan lacks."""
    return LaterJobs(spec.search.method, spec.speedups)


def reduce(spec: GreenParSpec, days: Days) -> ClusterProblem:
    """Formulate the problem of malleable jobs: known jobs, earlier jobs, expected energy.

    Raises TailcError for jobs wider than the cluster, and applications without speed-ups.
    """
    log = LoggedJobs(spec, days)
    return _problem(spec, days, log, log.known_jobs())


def resume(spec: GreenParSpec, days: Days, resumption: Resumption) -> ClusterProblem:
    """Formulate the problem that continues from the state of running jobs.

    Raises TailcError if the state does not fit the log or the cluster.
    """
    log, state = LoggedJobs(spec, days), resumption.state
    if state.servers != spec.cluster.servers:
        message = f"the state has {plural(state.servers, 'server')}, and the spec has "
        message += f"{spec.cluster.servers:,}"
        raise TailcError(Finding(Code.BAD_STATE, message, help="give the state of this policy"))
    problem = _problem(spec, days, log, log.jobs_after(resumption))
    if problem.battery is not None and state.battery_mj is not None:
        held_mj = min(state.battery_mj, problem.battery.capacity_mj)
        problem = replace(problem, battery=replace(problem.battery, first_mj=held_mj))
    # Run time is weighted by job as in the plan in force, whose ended jobs are no longer here.
    counted = {*(job.name for job in resumption.plan.jobs), *(job.name for job in problem.jobs)}
    weight = Fraction(len(problem.jobs), max(len(counted), 1))
    problem = replace(problem, run_cost=round(problem.run_cost * weight))
    schedule = resumption.schedule.by_epoch[resumption.passed :]
    names = dict.fromkeys(name for servers in schedule for name in servers)
    in_force = {name: tuple(len(at.get(name, ())) for at in schedule) for name in names}
    return replace(problem, in_force=in_force)


def _problem(
    spec: GreenParSpec, days: Days, log: LoggedJobs, known_jobs: KnownMalleableJobs
) -> ClusterProblem:
    supply, weights, cluster = supply_of(days), weights_of(spec.weights), spec.cluster
    return ClusterProblem(
        start_unix_s=days.start_unix_s,
        epoch_s=days.epoch_s,
        servers=cluster.servers,
        busy_mw=cluster.busy_mw,
        asleep_mw=cluster.asleep_mw,
        change_mj=cluster.change_mj,
        supply=supply,
        slowdown_ppm=spec.slowdown_ppm,
        run_cost=_run_cost(spec.run_time, weights, supply),
        jobs=known_jobs.jobs,
        expected=tuple(log.jobs_of_span(first) for first in _spans(spec, days)),
        search=PlanSearch(
            PlanMethod(planner_of(spec.search.method, PlanMethod.COLUMNS.value)),
            solver=spec.search.solver,
            aim_ppm=spec.search.gap_ppm,
            nodes=spec.search.nodes,
            wall_s=spec.search.time_limit_s,
        ),
        weights=weights,
        violations_ppm=spec.violations_ppm,
        left_out=known_jobs.left_out,
        battery=battery_of(spec.battery),
        grid_mw=grid_of(
            spec.supply,
            spec.horizon,
            spec.cluster.servers,
            spec.cluster.busy_mw,
            2 * spec.cluster.change_mj,
        ),
    )


def _run_cost(run_time: RunTimeSpec, weights: Weights, supply: ExpectedSupply) -> int:
    """Cost of an hour of run time: as stated, or beta times the mean cost of its brown energy."""
    if run_time.cost_udollars is not None:
        return run_time.cost_udollars
    of_kwh = sum(
        (
            weights.of_kwh(*one)
            for one in zip(
                supply.brown_udollars_per_kwh.tolist(),
                supply.brown_mg_per_kwh.tolist(),
                strict=True,
            )
        ),
        Fraction(0),
    )
    per_hour = Fraction(run_time.reference_mw * S_PER_H, MJ_PER_KWH) * of_kwh / supply.epochs
    return round(run_time.beta * per_hour)


def _spans(spec: GreenParSpec, days: Days) -> list[int]:
    """First epochs of earlier periods as long as the horizon, whole days before it."""
    span_s = days.epochs * days.epoch_s
    stride = -(-span_s // DAY_S) * DAY_S // days.epoch_s
    firsts = [days.first - number * stride for number in range(1, spec.horizon.learn_from + 1)]
    if not days.jobs.jobs:
        return []
    begun = int(days.jobs.submit_s[0]) // days.epoch_s
    return [first for first in firsts if first >= 0 and first + days.epochs > begun]
