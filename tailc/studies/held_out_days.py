"""Read held-out days to judge a plan: those after the spec's own, or of a `kind: days` document."""

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
from tailc.pipeline.refusals import complete_errors
from tailc.pipeline.spec import open_document
from tailc.specs.days import DaysSettings
from tailc.specs.held_out_days import DaysSpec
from tailc.specs.load import LoadedSpec
from tailc.traces.compression import SUFFIXES
from tailc.traces.jobs.log import refuse_same_numbers, refuse_wide
from tailc.traces.series.series import SECONDS_PER_DAY
from tailc.traces.zones import utc_text

S_PER_HOUR = 3_600
_TRACES = (".swf", *SUFFIXES, ".csv", ".parquet", ".ndjson")


class _SpecWithDays(Protocol):
    """A spec that may name days."""

    @property
    def kind(self) -> str: ...
    @property
    def demand(self) -> object: ...


def read_held_out_days(policy: Policy, path: str, most: int | None = None) -> HeldOutDays:
    """Read the windows of days that the document at `path` (`-` is standard input) describes.

    Windows are as long as the plan, and begin whole days apart. The first window of a spec is
    omitted, since the plan is made for it. Only jobs, energy, speed-ups and start of a spec are
    read. most: limit of the number of windows. Raises TailcError if there is no window, and for a
    job wider than the plan's servers.
    """
    plan = plan_of(policy)
    _check_document(path)
    loaded = open_document(path)
    days = open_days(_on_epochs_of(plan, _days_of(loaded)), path, loaded.place)
    begin = range(days.first, days.energy.power.steps - len(plan.epochs) + 1, _stride(plan))
    begin = begin if isinstance(loaded.model, DaysSpec) else begin[1:]
    every = windows(days.jobs, days.energy, len(plan.epochs), begin.start, begin.step)
    chosen = every[:most]
    if not chosen:
        raise _no_windows(plan, days, loaded)
    if len(chosen) < len(every):
        begin = range(begin.start, chosen[-1].expected.first + 1, begin.step)
    for window in chosen:
        refuse_wide(window.jobs, plan.servers)
        if plan.malleable is not None:
            refuse_same_numbers(window.jobs)
    return HeldOutDays(
        windows=chosen,
        left_out=len(begin) - len(chosen),
        curves=_curves(loaded, days, plan, chosen),
        digest=days.digest,
        jobs_digest=days.jobs_digest,
        energy_digest=days.energy.digest,
        place=loaded.place("horizon", "start"),
        warnings=(*days.warnings, *_nothing_promised(plan, chosen, loaded)),
    )


def _nothing_promised(
    plan: Plan, chosen: Sequence[JobWindow], loaded: LoadedSpec
) -> tuple[Finding, ...]:
    """A warning if jobs request no green energy, which a plan's promises are about."""
    shares = [window.jobs.green_ppm for window in chosen]
    if plan.terms is None or any(each is not None and each.any() for each in shares):
        return ()
    message = "no job requests green energy, so no SLA can be missed"
    hint = "add a green share, for example `green: {seed: 1}`, or a `share` for all jobs"
    code, place = Code.NO_PROMISE, loaded.place("jobs")
    return (Finding(code, message, place, hint, Severity.WARNING),)


def warnings_of(loaded: LoadedSpec, path: str) -> tuple[Finding, ...]:
    """Warn about the data that a document of days names, read for its first epoch."""
    days_spec = _days_of(loaded)
    first = days_spec.horizon.model_copy(update={"length_s": days_spec.horizon.epoch_s})
    return open_days(replace(days_spec, horizon=first), path, loaded.place).warnings


def _check_document(path: str) -> None:
    """Raise TailcError for a log or a series in place of a document."""
    if not path.lower().endswith(_TRACES):
        return
    message = f"`{path}` is a log or a series, but `verify` of a plan needs days with both"
    hint = "give the plan's spec, or a document of `kind: days` that names it"
    raise TailcError(Finding(Code.USAGE, message, help=hint))


def _days_of(loaded: LoadedSpec) -> DaysSettings:
    """The days that the document describes; TailcError for a kind without days."""
    spec = cast(_SpecWithDays, loaded.model)
    if isinstance(spec.demand, DaysSettings):
        return spec.demand
    message = f"a spec of kind `{spec.kind}` describes no days of jobs and energy"
    hint = "give the spec of the plan, or a document of `kind: days`"
    raise TailcError(Finding(Code.UNKNOWN_KIND, message, loaded.place("kind"), hint))


def _on_epochs_of(plan: Plan, days_spec: DaysSettings) -> DaysSettings:
    """The days with the plan's epochs and horizon, without scenarios (for planning only)."""
    horizon = days_spec.horizon.model_copy(
        update={"epoch_s": plan.epoch_s, "length_s": len(plan.epochs) * plan.epoch_s}
    )
    forecast = days_spec.supply.forecast.model_copy(update={"scenarios": None})
    supply = days_spec.supply.model_copy(update={"forecast": forecast})
    return replace(days_spec, horizon=horizon, supply=supply)


def _stride(plan: Plan) -> int:
    """Epochs from the start of a window to the next: the plan's length in whole days, rounded up.

    If a day is not a whole number of epochs, the next window begins with the first epoch after it.
    """
    length_s = len(plan.epochs) * plan.epoch_s
    days = -(-length_s // SECONDS_PER_DAY)
    return -(-days * SECONDS_PER_DAY // plan.epoch_s)


def _curves(
    loaded: LoadedSpec, days: Days, plan: Plan, chosen: Sequence[JobWindow]
) -> SpeedupCurves:
    """The speed-ups of the document; none for rigid jobs.

    Raises TailcError if malleable jobs have no speed-ups.
    """
    if plan.malleable is None:
        return NoSpeedupCurves()
    speedups: SpeedupCurves | None = getattr(loaded.model, "speedups", None)
    if speedups is None:
        message = "describes rigid jobs, but the plan is for malleable jobs"
        hint = "give a spec of malleable jobs, or a document of `kind: days`"
        place = loaded.place("kind")
        raise TailcError(Finding(Code.MISSING_KEY, f"the spec {message}", place, hint))
    if days.jobs.applications is None:
        message = "does not state the applications of jobs, which a plan of malleable jobs needs"
        hint = (
            "add applications, for example `applications: {FT: 2, LU: 1}`, or one `speedup` for "
            "all jobs"
        )
        place = loaded.place("jobs")
        raise TailcError(Finding(Code.MISSING_KEY, f"`jobs` {message}", place, hint))
    with complete_errors(loaded, (), days.warnings):
        for window in chosen:
            malleable_jobs_of(window, speedups, plan.malleable.slowdown_ppm, plan.servers)
    return speedups


def _no_windows(plan: Plan, days: Days, loaded: LoadedSpec) -> TailcError:
    power, jobs = days.energy.power, days.jobs
    hours = len(plan.epochs) * plan.epoch_s / S_PER_HOUR
    last = utc_text(power.start_unix_s + int(jobs.submit_s[-1]))
    after = "from" if isinstance(loaded.model, DaysSpec) else "after the plan that begins at"
    message = (
        f"there is no window of {hours:g} h {after} `{utc_text(days.start_unix_s)}` in which jobs "
        "are submitted and all energy is known: the energy is known until "
        f"`{utc_text(power.end_unix_s)}`, and the last job is submitted at `{last}`"
    )
    hint = "give a longer log and series, or other days in a document of `kind: days`"
    return TailcError(Finding(Code.SHORT_HISTORY, message, loaded.place("horizon", "start"), hint))
