"""A form of shares on the machines behind measured rows, which are found by their names."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.errors import Code, Finding, Place, TailcError
from tailc.forms.shares import Shares
from tailc.models.cpu_shares.plant import Outcome, replay, settling_steps
from tailc.traces.throughput import Series, ThroughputTrace
from tailc.units import counted, format_us
from tailc.verify.throughput.recorded import RecordedMachine, plant_of, recorded, together


@dataclass(frozen=True, eq=False)
class Replayed:
    """The machines of a policy on held-out rows, and what became of them."""

    machines: tuple[RecordedMachine, ...]
    outcome: Outcome
    steps: int


def replayed_on(shares: Shares, held_out: ThroughputTrace) -> Replayed:
    """The form's own controller on the machines of the rows, while all of them were measured.

    Raises TailcError for each that has no rows of use, and where no step comes after the first full
    window.
    """
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
    machines = tuple(machine for machine in found if machine is not None)
    plant = plant_of(machines)
    if plant.steps <= settling_steps(shares):
        raise too_short(shares, held_out, plant.steps)
    return Replayed(machines, replay(shares, plant), plant.steps)


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


def too_short(shares: Shares, held_out: ThroughputTrace, steps: int) -> TailcError:
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
