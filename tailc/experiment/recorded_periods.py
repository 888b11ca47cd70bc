"""A form of shares on the machines behind measured rows, which are found by their names.

The machines are given the shares that the form decides on, or those of a baseline, and two forms
are compared step by step; intervals are those of `block_means`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Place, TailcError
from tailc.experiment.block_means import ErrorOf, error_of
from tailc.forms.shares import Shares
from tailc.models.cpu_shares.given_shares import GivenShares, ShareRule
from tailc.models.cpu_shares.outcome import Outcome
from tailc.models.cpu_shares.plant import replay, settling_steps
from tailc.models.cpu_shares.recorded import RecordedMachine, plant_of, recorded, together
from tailc.models.rule_baselines import RuleBaselines, rules_in
from tailc.percentiles import PPM
from tailc.traces.throughput import Series, ThroughputTrace
from tailc.units import counted, format_us

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ModelErrors:
    """Of what a model said a step before: estimated all the time, and as compiled."""

    online: ErrorOf
    offline: ErrorOf


@dataclass(frozen=True, eq=False)
class RecordedPeriods:
    """The machines of a form on measured rows, and what its own controller made of them."""

    shares: Shares
    machines: tuple[RecordedMachine, ...]
    outcome: Outcome

    @property
    def steps(self) -> int:
        """How many all machines have."""
        return self.outcome.throughput.shape[1]

    @property
    def errors(self) -> Floats:
        """Of each machine relative to its target, (machines, steps after the first full window)."""
        return self.outcome.slo_errors

    def beside(self, name: str) -> GivenShares:
        """The baseline of that name; TailcError (USAGE) for no baseline's."""
        return share_rules().made(name).given(self.shares, self.machines)

    def model_errors(self, at: int, seed: int, replicates: int) -> ModelErrors | None:
        """Of the machine's models under the very shares that were measured; None where it did
        nothing.
        """
        machine = self.machines[at]
        alone = replace(self.shares, machines=(self.shares.served[at],), host_ppm=PPM)
        outcome = replay(alone, plant_of([machine]), machine.share[None, :])
        found = []
        for number, said in enumerate((outcome.online[0], outcome.offline[0]), start=1):
            counted = np.isfinite(said) & (outcome.throughput[0] > 0)
            if not counted.any():
                return None
            errors = np.abs(said[counted] / outcome.throughput[0][counted] - 1)
            draw = number * len(self.shares.served) + at
            found.append(error_of(errors, seed, draw, replicates))
        return ModelErrors(*found)


@dataclass(frozen=True, eq=False)
class PairedErrors:
    """A machine that two forms have: its errors under each, step by step, float64 (steps,).

    number: of the machine in the older form.
    """

    number: int
    name: str
    old: Floats
    new: Floats


@dataclass(frozen=True, eq=False)
class PairedPeriods:
    """The machines that two forms have, in the steps in which both have a full window."""

    steps: int
    machines: tuple[PairedErrors, ...]


def share_rules() -> RuleBaselines[ShareRule]:
    """All baselines that a form of shares may stand beside."""
    return rules_in("tailc.models.cpu_shares.baselines")


def shares_of(policy: Policy) -> Shares:
    """The policy's form of shares; TailcError where it has none."""
    if policy.shares is None:
        message = f"policy `{policy.name}` is of requests, and not of throughput"
        hint = "leave out --trace, or give two policies of throughput"
        raise TailcError(Finding(Code.USAGE, message, help=hint))
    return policy.shares


def recorded_periods(shares: Shares, held_out: ThroughputTrace) -> RecordedPeriods:
    """The form's own controller on the machines of the rows, while all of them were measured.

    Raises TailcError for each that has no rows of use, and where no step comes after the first full
    window.
    """
    machines = _machines(shares, held_out)
    plant = plant_of(machines)
    if plant.steps <= settling_steps(shares):
        raise _too_short(shares, held_out, plant.steps)
    return RecordedPeriods(shares, machines, replay(shares, plant))


def paired_periods(old: Shares, new: Shares, held_out: ThroughputTrace) -> PairedPeriods:
    """Both forms on the machines of the rows.

    Raises TailcError as `recorded_periods` does, and where no step is after a full window of both.
    """
    both = [recorded_periods(form, held_out) for form in (old, new)]
    first = max(each.outcome.settling for each in both)
    last = min(each.steps for each in both)
    if last <= first:
        raise _too_short(max((old, new), key=settling_steps), held_out, last)
    was, becomes = (
        each.errors[:, first - each.outcome.settling :][:, : last - first] for each in both
    )
    rows = [machine.name for machine in new.served]
    machines = (
        PairedErrors(number, machine.name, was[number], becomes[rows.index(machine.name)])
        for number, machine in enumerate(old.served)
        if machine.name in rows
    )
    return PairedPeriods(last - first, tuple(machines))


def _machines(shares: Shares, held_out: ThroughputTrace) -> tuple[RecordedMachine, ...]:
    if missing := missing_machines(shares, held_out):
        raise TailcError(missing)
    by_name = {each.name: each for each in held_out.series}
    series = together([by_name[machine.name] for machine in shares.served])
    if min(len(each.time_us) for each in series) < 2:
        raise _apart(shares, held_out)
    found = [recorded(each, shares.step_us) for each in series]
    unusable = [
        _unusable(shares, held_out, each)
        for each, machine in zip(series, found, strict=True)
        if machine is None
    ]
    if unusable:
        raise TailcError(unusable)
    return tuple(machine for machine in found if machine is not None)


def missing_machines(shares: Shares, held_out: ThroughputTrace) -> tuple[Finding, ...]:
    """A finding for each machine with a target that no row is of."""
    measured = {each.name for each in held_out.series}
    known = ", ".join(f"`{name}`" for name in sorted(measured))
    place = Place(held_out.source, field=held_out.reading.columns.machine)
    return tuple(
        Finding(
            Code.UNKNOWN_MACHINE,
            f"`{machine.name}` has a target, but no row of the trace is its",
            place,
            f"measure it too, or correct its name: measured were {known}",
        )
        for machine in shares.served
        if machine.name not in measured
    )


def _too_short(shares: Shares, held_out: ThroughputTrace, steps: int) -> TailcError:
    """What is wrong with rows of so many steps that none comes after the first full window."""
    message = (
        f"{counted(steps, 'step')} of {format_us(shares.step_us)} were measured, and none comes "
        f"after the first full window of {format_us(shares.window_us)}"
    )
    place = Place(held_out.source, field=held_out.reading.columns.time)
    return TailcError(Finding(Code.EMPTY_TRACE, message, place, "give rows of a longer time"))


def _apart(shares: Shares, held_out: ThroughputTrace) -> TailcError:
    """The machine that was measured last begins when, or after, another one ends."""
    names = {machine.name for machine in shares.served}
    served = [each for each in held_out.series if each.name in names]
    last = max(served, key=lambda each: int(each.time_us[0]))
    first = min(served, key=lambda each: int(each.time_us[-1]))
    message = (
        f"`{last.name}` was measured from {format_us(int(last.time_us[0]))} on, and `{first.name}` "
        f"until {format_us(int(first.time_us[-1]))}: there is no step in which both were"
    )
    place = held_out.place(last.name, held_out.reading.columns.time)
    hint = "give rows of all machines from the same time, counted from one start"
    return TailcError(Finding(Code.EMPTY_TRACE, message, place, hint))


def _unusable(shares: Shares, held_out: ThroughputTrace, series: Series) -> Finding:
    step = format_us(shares.step_us)
    message = (
        f"`{series.name}` did nothing, had no share, or was not measured a whole time a step of "
        f"{step}"
    )
    hint = "measure once a step, or a whole number of times a step, with a share of the host"
    place = held_out.place(series.name, held_out.reading.columns.time)
    return Finding(Code.BAD_MODEL, message, place, hint)
