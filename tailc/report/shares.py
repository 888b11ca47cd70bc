"""CPU shares of a host as text."""

from __future__ import annotations

from tailc.forms.shares import Machine, ShareCap, Shares
from tailc.report.table import align_columns
from tailc.units import format_mrps, format_ppm, format_us, plain_ppm, plural, printable


def shares_text(shares: Shares) -> str:
    """Format the shares: host, periods, control law, and one line per machine."""
    head = [
        f"host        up to {format_ppm(shares.host_ppm)}, at least {format_ppm(shares.least_ppm)} "
        "for each machine with a target",
        f"measures    the mean of {format_us(shares.window_us)}, "
        f"within {format_ppm(shares.tolerance_ppm)} of the targets",
        f"estimates   every {format_us(shares.estimate_us)}, forgetting "
        f"{plain_ppm(shares.forgetting_ppm)}, covariance {shares.first_covariance} at first, "
        f"b above {format_ppm(shares.least_b_ppm)} of the target",
        f"shares      every {format_us(shares.step_us)} by {shares.law.value}, "
        f"pole {plain_ppm(shares.pole_ppm)}, enforced every {format_us(shares.enforce_us)}",
        f"shortage    after {plural(shares.shortage_steps, 'step')} below a target",
        f"caps        {cap_text(shares.cap)}",
    ]
    title = ("machine", "target", "a at first", "b at first")
    rows = [_machine(machine) for machine in shares.machines]
    return "\n".join([*head, "", align_columns([title, *rows], numbers=(1, 2, 3))])


def cap_text(cap: ShareCap | None) -> str:
    """Format when a machine's CPU share is capped, and at which share."""
    if cap is None:
        return "none"
    return (
        f"by tests of {plural(cap.steps, 'step')}, headroom {format_ppm(cap.headroom_ppm)}, "
        f"tested again after {plural(cap.probe_steps, 'step')}"
    )


def target_text(machine: Machine) -> str:
    """Format the throughput target of a machine [work/s], or that it has none."""
    if machine.target_milli is None:
        return "the rest"
    return format_mrps(machine.target_milli)


def _machine(machine: Machine) -> tuple[str, ...]:
    """Build the row of a machine; the model of batch machines is omitted, since no rule uses it."""
    if machine.target_milli is None:
        return (printable(machine.name), target_text(machine), "", "")
    return (
        printable(machine.name),
        target_text(machine),
        plain_ppm(machine.first_a_ppm),
        format_mrps(machine.first_b_milli),
    )
