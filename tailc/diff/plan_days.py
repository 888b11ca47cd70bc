"""Compare the replays of two plans on the same held-out days."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.experiment.held_out_days import HeldOutDays, check_held_out, plan_of, windows_of_compile
from tailc.experiment.job_windows import policy_samples, replayable
from tailc.experiment.plan_options import PlanOptions
from tailc.experiment.window_means import WindowMean, gains_of, means_of
from tailc.forms.plan.plan import Plan
from tailc.models.datacentre.quantities import JobQuantity
from tailc.traces.jobs.log import refuse_wide


@dataclass(frozen=True, eq=False)
class DaysChange:
    """Means of all quantities under two plans, and NEW - OLD with a 95 % interval.

    The difference is paired by window. epochs: epochs of `epoch_s` in a window. own_windows: number
    of windows that one of the plans was compiled from.
    """

    held_out_digest: str
    windows: int
    own_windows: int
    epochs: int
    epoch_s: int
    from_unix_s: int
    until_unix_s: int
    seed: int
    old: Mapping[JobQuantity, WindowMean]
    new: Mapping[JobQuantity, WindowMean]
    change: Mapping[JobQuantity, WindowMean]


def days_change(
    old: Policy,
    new: Policy,
    held_out: HeldOutDays,
    options: PlanOptions | None = None,
    old_options: PlanOptions | None = None,
) -> DaysChange:
    """Replay two plans on the same windows of days; each window is as long as the plan NEW.

    old_options: `options` with the baselines of OLD, where they depend on the plan; None: the same.
    Raises TailcError if a policy is not a plan that can be replayed, if jobs are rigid in one plan
    and malleable in the other, if epochs differ in length, if a job is wider than the servers of a
    plan, and for windows that a plan was compiled from.
    """
    options = options or PlanOptions()
    plans = comparable(old, new)
    for plan in plans:
        for window in held_out.windows:
            refuse_wide(window.jobs, plan.servers)
    if not options.allow_compile_trace:
        check_held_out((old, new), held_out)
    own = {
        window.start_unix_s for one in (old, new) for window in windows_of_compile(one, held_out)
    }
    before = policy_samples(old, held_out, old_options or options)
    after = policy_samples(new, held_out, options)
    epochs, epoch_s = len(plans[1].epochs), plans[1].epoch_s
    return DaysChange(
        held_out_digest=held_out.digest,
        windows=len(held_out.windows),
        own_windows=len(own),
        epochs=epochs,
        epoch_s=epoch_s,
        from_unix_s=held_out.windows[0].start_unix_s,
        until_unix_s=held_out.windows[-1].start_unix_s + epochs * epoch_s,
        seed=options.seed,
        old=means_of(before),
        new=means_of(after),
        change=gains_of(after, before),
    )


def comparable(old: Policy, new: Policy) -> tuple[Plan, Plan]:
    """Return both plans; TailcError if they cannot be replayed on the same windows."""
    kinds = [replayable(policy).words.jobs_are for policy in (old, new)]
    if kinds[0] != kinds[1]:
        message = f"jobs are {kinds[0]} in `{old.name}`, but {kinds[1]} in `{new.name}`"
        raise TailcError(
            Finding(Code.USAGE, message, help=("remove `--trace`, or verify each policy"))
        )
    plans = plan_of(old), plan_of(new)
    if plans[0].epoch_s != plans[1].epoch_s:
        message = (
            f"the plans decide every {plans[0].epoch_s} s and every {plans[1].epoch_s} s: their "
            "epochs cannot be compared one by one"
        )
        raise TailcError(
            Finding(Code.USAGE, message, help=("remove `--trace`, or verify each policy"))
        )
    return plans
