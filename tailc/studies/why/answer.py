"""What a table decides in one cell, what of that binds, and what it buys at a rate."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from tailc.errors import Code, Finding, TailcError
from tailc.experiment.experiment import Experiment
from tailc.experiment.options import VerifyOptions
from tailc.experiment.scenario import scenario_for
from tailc.experiment.sizes import CELL, Seed
from tailc.forms.ladder.lanes import AT_ONCE_AWAKE, Waking, is_on_lanes
from tailc.forms.ladder.table import Ladder
from tailc.models.arrivals import Arrivals
from tailc.models.ladder_model import LadderModel
from tailc.models.outcome import NS_PER_US
from tailc.models.smt.model import Smt
from tailc.models.subjects import on_ladders
from tailc.models.workload import Workload
from tailc.progress import Progress, silent
from tailc.studies.why.decision import Decision, decision
from tailc.studies.why.inputs import OtherInput, inputs
from tailc.studies.why.measurement import Case, Measured, measured
from tailc.studies.why.occupancy import Presence, holding, passed, presence
from tailc.studies.why.paired_effect import Effect, MeasuredEffect, effect, measured_effect
from tailc.studies.why.perturbations import Edited, edited, with_row_of
from tailc.threads import thread_count

_What = TypeVar("_What")


@dataclass(frozen=True)
class Asked:
    """Which tail under which arrivals, and how thoroughly; `threads` None is one a processor.

    waking: of batch work beside lanes.
    """

    percentile_ppm: int
    arrivals: Arrivals
    requests: int = CELL.requests
    seed: int = Seed.DESIGN
    threads: int | None = None
    waking: Waking = AT_ONCE_AWAKE


@dataclass(frozen=True)
class AgainstFormula:
    """What the formula's table decides in the cell; its row, and all of it, instead of ours.

    row: None where no row of our table is for the load.
    """

    decision: Decision
    row: Effect | None
    table: Effect


@dataclass(frozen=True)
class Bought:
    """What was replayed, and what it says: how much is in the cell, and what changes would do."""

    asked: Asked
    replays: int
    as_it_is: MeasuredEffect
    presence: Presence
    edits: tuple[tuple[Edited, Effect], ...]
    formula: AgainstFormula | None
    inputs: tuple[tuple[str, Effect], ...]

    @property
    def better(self) -> tuple[Edited, ...]:
        """Edits that make the tail less beyond chance."""
        return tuple(one for one, found in self.edits if found.is_better)

    @property
    def worse(self) -> tuple[Edited, ...]:
        """Edits that make the tail more beyond chance, or overload the server."""
        return tuple(one for one, found in self.edits if found.is_worse)


def bought(
    at: Decision, load: Workload, formula: Ladder | None, asked: Asked, progress: Progress = silent
) -> Bought:
    """What the cell buys on these requests; `formula` is the table to compare with, if any.

    Raises TailcError where requests pile up with the table as it is, or none is served.
    """
    options = VerifyOptions(requests_per_replay=asked.requests, seed=asked.seed)
    with ThreadPoolExecutor(thread_count(asked.threads)) as workers:
        progress("replaying the table", 0.0)
        scenario = scenario_for(load, asked.arrivals, options, _on(at.table, asked))
        cell = _Cell(at, asked, Experiment(scenario, CELL.repeats, 0, workers))
        base = cell.base
        if base.is_overloaded:
            raise _no_tail(asked, "requests pile up")
        if not base.tail_us.any():
            raise _no_tail(asked, "all requests that are measured are refused")
        there = cell.presence()
        progress("replaying changes of it", 0.2)
        edits = cell.effects([(one, cell.case(one.table)) for one in edited(at)])
        against = None if formula is None else cell.against(formula)
        progress("replaying other inputs", 0.6)
        varied = cell.effects([(one.name, cell.case_of(one)) for one in inputs(at.table, load)])
    as_it_is = measured_effect(base, base)
    return Bought(asked, CELL.repeats, as_it_is, there, edits, against, varied)


def _on(table: Ladder, asked: Asked) -> LadderModel:
    """The table on its server, where batch work wakes up as is asked."""
    if is_on_lanes(table):
        return Smt("table", (table,), waking=asked.waking)
    return on_ladders("table", (table,))


@dataclass(frozen=True, eq=False)
class _Cell:
    """A cell of a table, and the experiment that its table is replayed in."""

    at: Decision
    asked: Asked
    experiment: Experiment

    @cached_property
    def base(self) -> Measured:
        """The table as it is."""
        return self._measured(self.case(self.at.table))

    def case(self, table: Ladder) -> Case:
        """A table with the inputs as they are."""
        return Case(_on(table, self.asked), self.experiment)

    def case_of(self, other: OtherInput) -> Case:
        """The table with another input."""
        experiment = self.experiment.on(other.load).with_gaps(other.gaps)
        return Case(_on(other.table, self.asked), experiment)

    def presence(self) -> Presence:
        """How much of what requests do happens in the cell."""
        at, scenario = self.at, self.experiment.scenario
        first = 0 if at.row == at.table.rows[0] else at.row.first_load
        loads, age_ns = (first, at.row.last_load), at.age_us * NS_PER_US
        held = holding(at.table, scenario.arrivals.rate_mrps, scenario.most_in_system)
        found = self.experiment.each(
            _on(at.table, self.asked),
            lambda _one, outcome: passed(outcome, held, loads, age_ns),
        )
        return presence(found)

    def effects(self, cases: Sequence[tuple[_What, Case]]) -> tuple[tuple[_What, Effect], ...]:
        """What each case makes of the base."""
        return tuple((what, effect(self.base, self._measured(case))) for what, case in cases)

    def against(self, formula: Ladder) -> AgainstFormula:
        """The formula's row in place of ours, and its whole table."""
        at, tables = self.at, [formula]
        if at.row in at.table.rows:
            tables.append(with_row_of(at.table, at.row, formula))
        whole, *row = (effect(self.base, self._measured(self.case(one))) for one in tables)
        theirs = decision(formula, at.load, at.age_us)
        return AgainstFormula(theirs, row[0] if row else None, whole)

    def _measured(self, case: Case) -> Measured:
        return measured(case, self.asked.percentile_ppm)


def _no_tail(asked: Asked, why: str) -> TailcError:
    message = f"under `{asked.arrivals.name}` {why}: there is no tail to tell"
    return TailcError(Finding(Code.USAGE, message, help="give a lower `--rate`"))
