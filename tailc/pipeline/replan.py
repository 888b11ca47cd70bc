"""Plan again from the state of the plan in force."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.forms.plan.plan import AUTO, Plan
from tailc.forms.plan.state import PlanState
from tailc.pipeline.compile import AnyCompiled, compile_opened
from tailc.pipeline.days.days_of_spec import start_unix_s
from tailc.pipeline.spec import OpenedSpec
from tailc.problems.resumption import resumption_of
from tailc.progress import Progress, silent
from tailc.specs.days import DaysSettings, HorizonSpec
from tailc.specs.jobs import AfterStart, JobsSpec
from tailc.specs.supply import ForecastSpec, SupplySpec
from tailc.traces.zones import utc_text


@dataclass(frozen=True)
class NewInputs:
    """New inputs for planning a spec again.

    jobs: path of a log that replaces the spec's. forecast: path of a series of green power that
    replaces the spec's first source and its forecast. None: as in the spec. until_unix_s: end of
    the new plan; None: it is as long as the spec says.
    """

    jobs: str | None = None
    forecast: str | None = None
    until_unix_s: int | None = None


def replan(
    opened: OpenedSpec,
    policy: Policy,
    state: PlanState,
    inputs: NewInputs,
    *,
    overrides: Mapping[str, object] | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> AnyCompiled:
    """Compile the spec from the time of the state on, as the next generation of the policy.

    Raises TailcError if the policy has no plan, if the state is not of this plan (BAD_STATE), if
    the spec is of another kind (CONFLICT), and as `compile_opened` does.
    """
    plan = _plan_of(policy, state)
    kind = opened.kind
    if kind.name != policy.kind:
        message = f"the spec has the kind `{kind.name}`, but policy `{policy.name}` has the kind "
        message += f"`{policy.kind}`"
        place, hint = opened.loaded.place("kind"), "give the spec of the plan in force"
        raise TailcError(Finding(Code.CONFLICT, message, place, hint))
    resume = partial(_resumed, kind.resume, resumption_of(state, plan))
    spec = _continued(opened, state.at_unix_s, inputs)
    again = replace(opened, kind=replace(kind, reduce=resume), spec=spec)
    given = overrides or {}
    later = kind.later_jobs(spec)
    if later is not None and later.method == AUTO:
        # The choice is that of the plan in force: a new one would replay days in each hour.
        given = {"method": policy.evidence.method, **given}
    return compile_opened(
        again, overrides=given, previous=policy, threads=threads, progress=progress
    )


def _resumed(resume: Any, resumption: Any, spec: Any, days: Any) -> Any:
    return resume(spec, days, resumption)


def _plan_of(policy: Policy, state: PlanState) -> Plan:
    """The plan of the policy, whose epochs have a boundary at the time of the state."""
    plan = policy.plan
    if plan is None:
        message = f"policy `{policy.name}` has no plan of jobs, so there is nothing to continue"
        hint = "only plans can be continued: use `tailc compile` for other policies"
        raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint))
    passed_s = state.at_unix_s - plan.start_unix_s
    if 0 <= passed_s <= plan.end_unix_s - plan.start_unix_s and passed_s % plan.epoch_s == 0:
        return plan
    message = (
        f"the state is of `{utc_text(state.at_unix_s)}`, where no epoch of the plan begins: it "
        f"covers `{utc_text(plan.start_unix_s)}` to `{utc_text(plan.end_unix_s)}`"
    )
    hint = "give the state of this plan, as `tailc advance` writes it"
    raise TailcError(Finding(Code.BAD_STATE, message, help=hint))


def _continued(opened: OpenedSpec, at_unix_s: int, inputs: NewInputs) -> Any:
    """The spec with the time of the state as its start, and with new inputs."""
    demand = opened.spec.demand
    if not isinstance(demand, DaysSettings):
        # The kind has no `resume`, so that its message is given.
        return opened.spec
    later_s = at_unix_s - start_unix_s(demand.horizon, opened.loaded.place)
    changed = {
        "horizon": _horizon(demand.horizon, at_unix_s, later_s, inputs.until_unix_s),
        "jobs": _jobs(demand.jobs, later_s, inputs.jobs),
        "supply": _supply(demand.supply, inputs.forecast),
    }
    return cast("Any", opened.spec).model_copy(update=changed)


def _horizon(
    horizon: HorizonSpec, at_unix_s: int, later_s: int, until_unix_s: int | None
) -> HorizonSpec:
    length_s = horizon.length_s if until_unix_s is None else until_unix_s - at_unix_s
    if length_s <= 0 or length_s % horizon.epoch_s:
        message = f"no epoch ends at `{utc_text(at_unix_s + length_s)}`, the end of the new plan"
        hint = "give an end that is a whole number of epochs after the state"
        raise TailcError(Finding(Code.USAGE, message, help=hint))
    stated = datetime.fromisoformat(horizon.start)
    zone = UTC if stated.tzinfo is None else stated.tzinfo
    start = datetime.fromtimestamp(at_unix_s, zone).isoformat()
    if stated.tzinfo is None and later_s == 0:
        start = horizon.start
    return horizon.model_copy(update={"start": start, "length_s": length_s})


def _jobs(jobs: JobsSpec, later_s: int, path: str | None) -> JobsSpec:
    changed: dict[str, object] = {} if path is None else {"trace": str(Path(path).resolve())}
    if isinstance(jobs.begins, AfterStart):
        lead_s = jobs.begins.at_start_s + later_s
        changed["begins"] = jobs.begins.model_copy(update={"at_start_s": lead_s})
    return jobs.model_copy(update=changed)


def _supply(supply: SupplySpec, path: str | None) -> SupplySpec:
    if path is None:
        return supply
    first = supply.green[0].model_copy(update={"trace": str(Path(path).resolve())})
    green = (first, *supply.green[1:])
    return supply.model_copy(update={"green": green, "forecast": ForecastSpec()})
