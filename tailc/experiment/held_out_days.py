"""Days that a plan is judged on, and whether it was made from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, Place, TailcError
from tailc.forms.plan.plan import Plan
from tailc.models.datacentre.window import Curves, Window
from tailc.traces.zones import utc_text


@dataclass(frozen=True, eq=False)
class HeldOutDays:
    """Windows of jobs and energy, at least one.

    left_out: others in which no job is submitted, or some energy is not known. curves: how the
    jobs' applications speed up. digest: of all the days, jobs_digest, energy_digest: of their jobs
    and of their energy. place: where it is said when they begin.
    """

    windows: tuple[Window, ...]
    left_out: int
    curves: Curves
    digest: str
    jobs_digest: str
    energy_digest: str
    place: Place
    warnings: tuple[Finding, ...] = ()


def plan_of(policy: Policy) -> Plan:
    """The policy's plan; TailcError where it has none."""
    if policy.plan is None:
        message = f"policy `{policy.name}` is no plan of jobs and energy"
        raise TailcError(Finding(Code.USAGE, message, help="give a policy that is one"))
    return policy.plan


def windows_of_compile(policy: Policy, held_out: HeldOutDays) -> tuple[Window, ...]:
    """The windows that the plan was made from: those that overlap its own days, and of the jobs or
    the energy that it was compiled from also those before.
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
    """Raise TailcError where a policy was made from a window."""
    findings = []
    for policy in policies:
        own = windows_of_compile(policy, held_out)
        if own:
            end = utc_text(plan_of(policy).end_unix_s)
            message = (
                f"{len(own)} of {len(held_out.windows)} windows are of the days that "
                f"`{policy.name}` was made from, which end at `{end}`"
            )
            hint = "begin there or later, or allow it by `--allow-compile-trace`"
            findings.append(Finding(Code.COMPILE_TRACE, message, held_out.place, hint))
    if findings:
        raise TailcError(findings)
