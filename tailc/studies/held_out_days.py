"""The days to judge a plan on: those after a spec's own plan, or a document's of `kind: days`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, cast

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Severity, TailcError
from tailc.experiment.held_out_days import HeldOutDays, plan_of
from tailc.forecasts.days import Days
from tailc.forms.plan.plan import Plan
from tailc.models.datacentre.window import JobWindow, NoSpeedupCurves, SpeedupCurves, windows
from tailc.models.malleable_jobs.jobs import malleable_jobs_of
from tailc.pipeline.days.days_of_spec import open_days
from tailc.pipeline.refusals import told_in_full
from tailc.pipeline.spec import open_document
from tailc.specs.days import DaysAsked
from tailc.specs.held_out_days import DaysSpec
from tailc.specs.load import LoadedSpec
from tailc.traces.compression import SUFFIXES
from tailc.traces.jobs.log import refuse_same_numbers, refuse_wide
from tailc.traces.series.series import SECONDS_PER_DAY
from tailc.traces.zones import utc_text

S_PER_HOUR = 3_600
_TRACES = (".swf", *SUFFIXES, ".csv", ".parquet", ".ndjson")


class _Asks(Protocol):
    """A spec, which may ask for days."""

    @property
    def kind(self) -> str: ...
    @property
    def demand(self) -> object: ...


def read_held_out_days(policy: Policy, path: str, most: int | None = None) -> HeldOutDays:
    """The windows of the days that the document at `path` (`-` is standard input) tells of.

    They are as long as the plan, and begin whole days apart. A spec's own first one is left out:
    that is what a plan is made for. Nothing is read of a spec but its jobs, its energy, its
    speed-ups and its start. `most`: the first so many windows. Raises TailcError where there is no
    window, and for a job that is wider than the plan has servers.
    """
    plan = plan_of(policy)
    _check_document(path)
    loaded = open_document(path)
    days = open_days(_on_epochs_of(plan, _asked(loaded)), path, loaded.place)
    begin = range(days.first, days.energy.power.steps - len(plan.epochs) + 1, _stride(plan))
    begin = begin if isinstance(loaded.model, DaysSpec) else begin[1:]
    every = windows(days.jobs, days.energy, len(plan.epochs), begin.start, begin.step)
    found = every[:most]
    if not found:
        raise _no_windows(plan, days, loaded)
    if len(found) < len(every):
        begin = range(begin.start, found[-1].expected.first + 1, begin.step)
    for window in found:
        refuse_wide(window.jobs, plan.servers)
        if plan.malleable is not None:
            refuse_same_numbers(window.jobs)
    return HeldOutDays(
        windows=found,
        left_out=len(begin) - len(found),
        curves=_curves(loaded, days, plan, found),
        digest=days.digest,
        jobs_digest=days.jobs_digest,
        energy_digest=days.energy.digest,
        place=loaded.place("horizon", "start"),
        warnings=(*days.warnings, *_nothing_promised(plan, found, loaded)),
    )


def _nothing_promised(
    plan: Plan, found: Sequence[JobWindow], loaded: LoadedSpec
) -> tuple[Finding, ...]:
    """A warning where jobs ask for no green energy, of which a plan's promise is."""
    shares = [window.jobs.green_percent for window in found]
    if plan.terms is None or any(each is not None and each.any() for each in shares):
        return ()
    message = "no job asks for green energy, so no SLA can be missed"
    hint = "add `green: {seed: 1}`, say, or a `share` that all ask for"
    code, place = Code.NO_PROMISE, loaded.place("jobs")
    return (Finding(code, message, place, hint, Severity.WARNING),)


def warnings_of(loaded: LoadedSpec, path: str) -> tuple[Finding, ...]:
    """What is odd about what a document of days names, read for the first of its epochs."""
    asked = _asked(loaded)
    first = asked.horizon.model_copy(update={"length_s": asked.horizon.epoch_s})
    return open_days(replace(asked, horizon=first), path, loaded.place).warnings


def _check_document(path: str) -> None:
    """Refuse a log or a series itself, which no YAML parser has anything sensible to say of."""
    if not path.lower().endswith(_TRACES):
        return
    message = f"`{path}` is a log or a series, and a plan is judged on days of both"
    hint = "give the plan's spec, or a document of `kind: days` that names it"
    raise TailcError(Finding(Code.USAGE, message, help=hint))


def _asked(loaded: LoadedSpec) -> DaysAsked:
    """Which days the document tells of; TailcError for a spec of a kind that plans none."""
    spec = cast(_Asks, loaded.model)
    if isinstance(spec.demand, DaysAsked):
        return spec.demand
    message = f"a spec of kind `{spec.kind}` describes no days of jobs and energy"
    hint = "give the spec of the plan, or a document of `kind: days`"
    raise TailcError(Finding(Code.UNKNOWN_KIND, message, loaded.place("kind"), hint))


def _on_epochs_of(plan: Plan, asked: DaysAsked) -> DaysAsked:
    """The days on the plan's epochs, as far ahead as it looks; scenarios are to plan with alone."""
    horizon = asked.horizon.model_copy(
        update={"epoch_s": plan.epoch_s, "length_s": len(plan.epochs) * plan.epoch_s}
    )
    forecast = asked.supply.forecast.model_copy(update={"scenarios": None})
    supply = asked.supply.model_copy(update={"forecast": forecast})
    return replace(asked, horizon=horizon, supply=supply)


def _stride(plan: Plan) -> int:
    """Epochs from the start of a window to that of the next: the plan's, rounded up to whole days.

    Where a day is no whole number of epochs, the next one begins with the first after it.
    """
    length_s = len(plan.epochs) * plan.epoch_s
    days = -(-length_s // SECONDS_PER_DAY)
    return -(-days * SECONDS_PER_DAY // plan.epoch_s)


def _curves(
    loaded: LoadedSpec, days: Days, plan: Plan, found: Sequence[JobWindow]
) -> SpeedupCurves:
    """The speed-ups of the document, none for rigid jobs.

    Raises TailcError where malleable ones lack theirs.
    """
    if plan.malleable is None:
        return NoSpeedupCurves()
    speedups: SpeedupCurves | None = getattr(loaded.model, "speedups", None)
    if speedups is None:
        message = "tells of rigid jobs, and the plan is of malleable ones"
        hint = "give a spec of such jobs, or a document of `kind: days`"
        place = loaded.place("kind")
        raise TailcError(Finding(Code.MISSING_KEY, f"the spec {message}", place, hint))
    if days.jobs.applications is None:
        message = "does not say which application each job is, and the plan is of malleable jobs"
        hint = "add `applications: {FT: 2, LU: 1}`, say, or one `speedup` for all jobs"
        place = loaded.place("jobs")
        raise TailcError(Finding(Code.MISSING_KEY, f"`jobs` {message}", place, hint))
    with told_in_full(loaded, (), days.warnings):
        for window in found:
            malleable_jobs_of(window, speedups, plan.malleable.slowdown_ppm, plan.servers)
    return speedups


def _no_windows(plan: Plan, days: Days, loaded: LoadedSpec) -> TailcError:
    power, jobs = days.energy.power, days.jobs
    hours = len(plan.epochs) * plan.epoch_s / S_PER_HOUR
    last = utc_text(power.start_unix_s + int(jobs.submit_s[-1]))
    after = "from" if isinstance(loaded.model, DaysSpec) else "after the plan that begins at"
    message = (
        f"there is no window of {hours:g} h {after} `{utc_text(days.start_unix_s)}` in which jobs "
        "are submitted and all energy is known: the energy is told until "
        f"`{utc_text(power.end_unix_s)}`, and the last job is submitted at `{last}`"
    )
    hint = "give a longer log and series, or other days in a document of `kind: days`"
    return TailcError(Finding(Code.SHORT_HISTORY, message, loaded.place("horizon", "start"), hint))
