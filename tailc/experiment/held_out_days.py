"""The held-out days by which a plan is judged.

A check shows that the plan was not made from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, Place, TailcError
from tailc.forms.plan.plan import Plan
from tailc.models.datacentre.window import JobWindow, SpeedupCurves
from tailc.traces.zones import utc_text


@dataclass(frozen=True, eq=False)
class HeldOutDays:
    """Held-out windows of days with jobs and energy, at least one.

    left_out: number of windows without a submitted job, or with unknown energy. curves: speed-ups
    of the jobs' applications. digest, jobs_digest, energy_digest: digests of all the days, of their
    jobs and of their energy. place: where the input states when the days begin. warnings: findings
    about the input.
    """

    windows: tuple[JobWindow, ...]
    left_out: int
    curves: SpeedupCurves
    digest: str
    jobs_digest: str
    energy_digest: str
    place: Place
    warnings: tuple[Finding, ...] = ()


def plan_of(policy: Policy) -> Plan:
    """The plan of jobs in a policy; raises TailcError if the policy has none."""
    if policy.plan is None:
        message = f"policy `{policy.name}` is not a plan of jobs and energy"
        raise TailcError(
            Finding(Code.USAGE, message, help=("give a policy of kind `green-sla` or `greenpar`"))
        )
    return policy.plan


def windows_of_compile(policy: Policy, held_out: HeldOutDays) -> tuple[JobWindow, ...]:
    """Find the windows of held-out days that a plan was compiled from.

    These are the windows that overlap the days of the plan, and earlier ones whose jobs or energy
    the compile used.
    """
    plan = plan_of(policy)
    length_s = len(plan.epochs) * plan.epoch_s
    own = {
        (InputRole.DESIGN, held_out.jobs_digest),
        (InputRole.SUPPLY, held_out.energy_digest),
    }
    is_own = any((part.role, part.digest) in own for part in policy.inputs)
    return tuple(
        window
        for window in held_out.windows
        if window.start_unix_s < plan.end_unix_s
        and (is_own or window.start_unix_s + length_s > plan.start_unix_s)
    )


def check_held_out(policies: Sequence[Policy], held_out: HeldOutDays) -> None:
    """Raise TailcError if a policy was compiled from one of the windows."""
    findings = []
    for policy in policies:
        own = windows_of_compile(policy, held_out)
        if own:
            end = utc_text(plan_of(policy).end_unix_s)
            message = (
                f"{len(own)} of {len(held_out.windows)} windows are within the days from which "
                f"`{policy.name}` was compiled, which end at `{end}`"
            )
            hint = "start at that time or later, or give `--allow-compile-trace`"
            findings.append(Finding(Code.COMPILE_TRACE, message, held_out.place, hint))
    if findings:
        raise TailcError(findings)
