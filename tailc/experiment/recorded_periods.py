"""Replay a controller of CPU shares on machines that are fitted to a measured trace.

Machines are matched by name. They get the shares that the controller decides on, or those of a
baseline; two controllers are compared step by step. Intervals are those of `block_means`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Place, TailcError
from tailc.experiment.block_means import MeanError, mean_error
from tailc.forms.shares import Shares
from tailc.models.cpu_shares.given_shares import GivenShares, ShareRule
from tailc.models.cpu_shares.outcome import CpuSharesOutcome
from tailc.models.cpu_shares.plant import replay, settling_steps
from tailc.models.cpu_shares.recorded_machines import (
    RecordedMachine,
    cut_to_common_time,
    fit_machine,
    machines_of,
)
from tailc.models.rule_baselines import RuleBaselines, rules_in
from tailc.percentiles import PPM
from tailc.traces.throughput import Series, ThroughputTrace
from tailc.units import format_us, plural

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ModelErrors:
    """Errors of one-step predictions of a machine's throughput.

    online: of the model that the controller estimates during the run. offline: of the model that
    was fitted in the compile.
    """

    online: MeanError
    offline: MeanError


@dataclass(frozen=True, eq=False)
class RecordedPeriods:
    """Machines fitted to measured throughput, and the result of a controller of CPU shares on them.

    shares: the controller. outcome: throughput and shares in its replay.
    """

    shares: Shares
    machines: tuple[RecordedMachine, ...]
    outcome: CpuSharesOutcome

    @property
    def steps(self) -> int:
        """Number of steps of the replay, for which all machines have measurements."""
        return self.outcome.throughput.shape[1]

    @property
    def errors(self) -> Floats:
        """Relative throughput error of each machine in each step after the first full window.

        float64 (machines, steps).
        """
        return self.outcome.slo_errors

    def replay_baseline(self, name: str) -> GivenShares:
        """Replay the named baseline; TailcError (USAGE) if no baseline has that name."""
        return share_rules().make_rule(name).replay(self.shares, self.machines)

    def model_errors(self, at: int, seed: int, replicates: int) -> ModelErrors | None:
        """Prediction errors of a machine's two models under the measured shares.

        at: number of the machine. None if it did no work.
        """
        machine = self.machines[at]
        alone = replace(self.shares, machines=(self.shares.served_machines[at],), host_ppm=PPM)
        outcome = replay(alone, machines_of([machine]), machine.share[None, :])
        errors_of_models = []
        for number, predicted in enumerate((outcome.online[0], outcome.offline[0]), start=1):
            counted = np.isfinite(predicted) & (outcome.throughput[0] > 0) & ~machine.ran_out
            if not counted.any():
                return None
            errors = np.abs(predicted[counted] / outcome.throughput[0][counted] - 1)
            draw = number * len(self.shares.served_machines) + at
            errors_of_models.append(mean_error(errors, seed, draw, replicates))
        return ModelErrors(*errors_of_models)


@dataclass(frozen=True, eq=False)
class PairedErrors:
    """Throughput errors of one machine under two controllers, by step; float64 (steps,).

    number: number of the machine in the older policy. name: its name. old, new: relative errors
    under the older and the newer controller.
    """

    number: int
    name: str
    old: Floats
    new: Floats


@dataclass(frozen=True, eq=False)
class PairedPeriods:
    """Throughput errors of all machines under two controllers of CPU shares.

    steps: number of steps, in which both controllers have a full window. machines: errors of each
    machine.
    """

    steps: int
    machines: tuple[PairedErrors, ...]


def share_rules() -> RuleBaselines[ShareRule]:
    """The baselines that can decide CPU shares of machines."""
    return rules_in("tailc.models.cpu_shares.baselines")


def shares_of(policy: Policy) -> Shares:
    """The CPU shares of a policy; raises TailcError if the policy has none."""
    if policy.shares is None:
        message = f"policy `{policy.name}` is for requests, not for throughput"
        hint = "remove `--trace`, or give two policies of throughput"
        raise TailcError(Finding(Code.USAGE, message, help=hint))
    return policy.shares


def recorded_periods(shares: Shares, held_out: ThroughputTrace) -> RecordedPeriods:
    """Set up replays of a policy's own controller on measured machines.

    The replay covers the time in which all machines were measured. Raises TailcError for each
    machine without usable rows, and if no step comes after the first full window.
    """
    machines = _machines(shares, held_out)
    plant = machines_of(machines)
    if plant.steps <= settling_steps(shares):
        raise _too_short(shares, held_out, plant.steps)
    return RecordedPeriods(shares, machines, replay(shares, plant))


def paired_periods(old: Shares, new: Shares, held_out: ThroughputTrace) -> PairedPeriods:
    """Replay two controllers of CPU shares on the machines of a measured trace.

    Raises TailcError as `recorded_periods` does, and if no step is after a full window of both.
    """
    both = [recorded_periods(form, held_out) for form in (old, new)]
    first = max(each.outcome.settling for each in both)
    last = min(each.steps for each in both)
    if last <= first:
        raise _too_short(max((old, new), key=settling_steps), held_out, last)
    was, becomes = (
        each.errors[:, first - each.outcome.settling :][:, : last - first] for each in both
    )
    rows = [machine.name for machine in new.served_machines]
    machines = (
        PairedErrors(number, machine.name, was[number], becomes[rows.index(machine.name)])
        for number, machine in enumerate(old.served_machines)
        if machine.name in rows
    )
    return PairedPeriods(last - first, tuple(machines))


def _machines(shares: Shares, held_out: ThroughputTrace) -> tuple[RecordedMachine, ...]:
    if missing := missing_machines(shares, held_out):
        raise TailcError(missing)
    by_name = {each.name: each for each in held_out.series}
    series = cut_to_common_time([by_name[machine.name] for machine in shares.served_machines])
    if min(len(each.time_us) for each in series) < 2:
        raise _no_common_time(shares, held_out)
    errors_of_models = [fit_machine(each, shares.step_us) for each in series]
    unusable = [
        _unusable(shares, held_out, each)
        for each, machine in zip(series, errors_of_models, strict=True)
        if machine is None
    ]
    if unusable:
        raise TailcError(unusable)
    return tuple(machine for machine in errors_of_models if machine is not None)


def missing_machines(shares: Shares, held_out: ThroughputTrace) -> tuple[Finding, ...]:
    """Make a finding for each machine with a target that the measured trace lacks."""
    measured = {each.name for each in held_out.series}
    known = ", ".join(f"`{name}`" for name in sorted(measured))
    place = Place(held_out.source, field=held_out.reading.columns.machine)
    return tuple(
        Finding(
            Code.UNKNOWN_MACHINE,
            f"machine `{machine.name}` has a target, but the trace has no rows of it",
            place,
            f"measure it too, or correct its name: measured machines: {known}",
        )
        for machine in shares.served_machines
        if machine.name not in measured
    )


def _too_short(shares: Shares, held_out: ThroughputTrace, steps: int) -> TailcError:
    """The error for rows with too few steps to have one after the first full window."""
    message = (
        f"the trace has {plural(steps, 'step')} of {format_us(shares.step_us)}, and none of them "
        f"begins after the first window of {format_us(shares.window_us)}, so nothing is judged"
    )
    place = Place(held_out.source, field=held_out.reading.columns.time)
    return TailcError(Finding(Code.EMPTY_TRACE, message, place, "give a longer trace"))


def _no_common_time(shares: Shares, held_out: ThroughputTrace) -> TailcError:
    """The error for machines that were not all measured at one time."""
    names = {machine.name for machine in shares.served_machines}
    served = [each for each in held_out.series if each.name in names]
    last = max(served, key=lambda each: int(each.time_us[0]))
    first = min(served, key=lambda each: int(each.time_us[-1]))
    message = (
        f"`{last.name}` was measured from {format_us(int(last.time_us[0]))} on, and `{first.name}` "
        f"until {format_us(int(first.time_us[-1]))}: there is no step in which both were measured"
    )
    place = held_out.place(last.name, held_out.reading.columns.time)
    hint = "give rows of all machines over the same period, with times from the same start"
    return TailcError(Finding(Code.EMPTY_TRACE, message, place, hint))


def _unusable(shares: Shares, held_out: ThroughputTrace, series: Series) -> Finding:
    step = format_us(shares.step_us)
    message = (
        f"machine `{series.name}` cannot be replayed: its throughput or its share is always 0, or "
        f"the time between its rows does not divide the step of {step}"
    )
    hint = "give rows with work and a share of the host, measured a whole number of times a step"
    place = held_out.place(series.name, held_out.reading.columns.time)
    return Finding(Code.BAD_MODEL, message, place, hint)
