"""Explain one table cell: the decision, the binding rule, and its effect on the tail."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from tailc.errors import Code, Finding, TailcError
from tailc.experiment.experiment import Experiment
from tailc.experiment.options import VerifyOptions
from tailc.experiment.scenario import scenario_for
from tailc.experiment.sizes import CELL, Seed
from tailc.forms.ladder.lanes import AT_ONCE_AWAKE, Waking, is_on_lanes
from tailc.forms.ladder.table import CostUnit, Ladder, Rule
from tailc.forms.ladder.units import POWER, WATTS
from tailc.models.arrivals import Arrivals
from tailc.models.ladder_model import LadderModel
from tailc.models.outcome import NS_PER_US
from tailc.models.perturbations import with_more_work, with_slower_cores, with_slower_rungs
from tailc.models.smt.model import Smt
from tailc.models.subjects import on_ladders
from tailc.models.workload import Workload
from tailc.percentiles import PPM
from tailc.progress import Progress, silent
from tailc.studies.why.decision import Decision, decision
from tailc.studies.why.measurement import ReplayCase, TableMeasurement, measure
from tailc.studies.why.occupancy import (
    OccupancyShares,
    held_resources,
    replay_counts,
    total_occupancy,
)
from tailc.studies.why.paired_effect import Effect, MeasuredEffect, effect, measured_effect
from tailc.studies.why.perturbations import EditedTable, edited_tables, with_row_of
from tailc.threads import thread_count
from tailc.units import printable

_What = TypeVar("_What")


@dataclass(frozen=True)
class CellQuery:
    """The percentile, arrivals and size of the replays that explain a cell of a table.

    threads: None means one per processor. waking: how fast batch work on SMT lanes wakes up.
    is_design: the requests are those that the policy was computed from.
    """

    percentile_ppm: int
    arrivals: Arrivals
    requests: int = CELL.requests
    seed: int = Seed.DESIGN
    threads: int | None = None
    waking: Waking = AT_ONCE_AWAKE
    is_design: bool = False


@dataclass(frozen=True)
class AgainstFormula:
    """Comparison of a cell with the table of the formula: the kind's method without simulation.

    decision: what the formula's table decides in the cell. row, table: effect of using its row, or
    its whole table; row is None if the policy has no row for the load.
    """

    decision: Decision
    row: Effect | None
    table: Effect


@dataclass(frozen=True)
class CellExplanation:
    """The explanation of a cell: how often it is used, and the effect of changes.

    as_it_is: tail and resource use of the unchanged table. presence: how much the cell matters.
    edits: effect of small changes of the row. inputs: effect of changed inputs, by name.
    """

    query: CellQuery
    replays: int
    as_it_is: MeasuredEffect
    presence: OccupancyShares
    edits: tuple[tuple[EditedTable, Effect], ...]
    formula: AgainstFormula | None
    inputs: tuple[tuple[str, Effect], ...]

    @property
    def better(self) -> tuple[EditedTable, ...]:
        """Changes of the row that make the percentile significantly shorter."""
        return tuple(one for one, result in self.edits if result.is_better)

    @property
    def worse(self) -> tuple[EditedTable, ...]:
        """Changes of the row that make the percentile longer, or overload the server."""
        return tuple(one for one, result in self.edits if result.is_worse)


def explain_cell(
    at: Decision,
    load: Workload,
    formula: Ladder | None,
    query: CellQuery,
    progress: Progress = silent,
) -> CellExplanation:
    """Explain a cell of a ladder by replays of these requests.

    formula: a table to compare with, if any. Raises TailcError if the unchanged table is
    overloaded, or serves no measured request.
    """
    options = VerifyOptions(requests_per_replay=query.requests, seed=query.seed)
    with ThreadPoolExecutor(thread_count(query.threads)) as workers:
        progress("replaying the table", 0.0)
        scenario = scenario_for(load, query.arrivals, options, _subject(at.table, query))
        cell = _ExplainedCell(at, query, Experiment(scenario, CELL.repeats, 0, workers))
        base = cell.base
        if base.is_overloaded:
            raise _no_tail(query, "requests pile up")
        if not base.tail_us.any():
            raise _no_tail(query, "all requests that are measured are refused")
        there = cell.presence()
        progress("replaying changes of it", 0.2)
        edits = cell.effects([(one, cell.case(one.table)) for one in edited_tables(at)])
        against = None if formula is None else cell.against(formula)
        progress("replaying other inputs", 0.6)
        varied = cell.effects(
            [(one.name, cell.case_of(one)) for one in changed_inputs(at.table, load)]
        )
    as_it_is = measured_effect(base, base)
    return CellExplanation(query, CELL.repeats, as_it_is, there, edits, against, varied)


def _subject(table: Ladder, query: CellQuery) -> LadderModel:
    """The table on its server, with the requested wake-up of batch work."""
    if is_on_lanes(table):
        return Smt("table", (table,), waking=query.waking)
    return on_ladders("table", (table,))


@dataclass(frozen=True, eq=False)
class _ExplainedCell:
    """A cell of a table, and the experiment that replays the table."""

    at: Decision
    query: CellQuery
    experiment: Experiment

    @cached_property
    def base(self) -> TableMeasurement:
        """Measurement of the unchanged table."""
        return self._measure(self.case(self.at.table))

    def case(self, table: Ladder) -> ReplayCase:
        """A table with unchanged inputs."""
        return ReplayCase(_subject(table, self.query), self.experiment)

    def case_of(self, other: OtherInput) -> ReplayCase:
        """The table with another input."""
        experiment = self.experiment.with_workload(other.load).with_gaps(other.gaps)
        return ReplayCase(_subject(other.table, self.query), experiment)

    def presence(self) -> OccupancyShares:
        """Share of requests, and of their resources, in the cell."""
        at, scenario = self.at, self.experiment.scenario
        first = 0 if at.row == at.table.rows[0] else at.row.first_load
        loads, age_ns = (first, at.row.last_load), at.age_us * NS_PER_US
        held = held_resources(at.table, scenario.arrivals.rate_mrps, scenario.most_in_system)
        result = self.experiment.each(
            _subject(at.table, self.query),
            lambda _one, outcome: replay_counts(outcome, held, loads, age_ns),
        )
        return total_occupancy(result)

    def effects(
        self, cases: Sequence[tuple[_What, ReplayCase]]
    ) -> tuple[tuple[_What, Effect], ...]:
        """Effect of each case compared with the base."""
        return tuple((what, effect(self.base, self._measure(case))) for what, case in cases)

    def against(self, formula: Ladder) -> AgainstFormula:
        """Effect of the formula's row and of its whole table."""
        at, tables = self.at, [formula]
        if at.row in at.table.rows:
            tables.append(with_row_of(at.table, at.row, formula))
        whole, *row = (effect(self.base, self._measure(self.case(one))) for one in tables)
        theirs = decision(formula, at.load, at.age_us)
        return AgainstFormula(theirs, row[0] if row else None, whole)

    def _measure(self, case: ReplayCase) -> TableMeasurement:
        return measure(case, self.query.percentile_ppm)


def _no_tail(query: CellQuery, why: str) -> TailcError:
    message = f"under `{query.arrivals.name}` {why}: there is no tail to explain"
    return TailcError(Finding(Code.USAGE, message, help="give a lower `--rate`"))


# Relative change of an input, up or down.
_PART = 0.1


class InputChange(enum.StrEnum):
    """Which input of a replay is changed (demand, rate, speeds or resources), and which way."""

    MORE_DEMAND = "demand +10 %"
    LESS_DEMAND = "demand -10 %"
    HIGHER_RATE = "rate +10 %"
    LOWER_RATE = "rate -10 %"
    LESS_SPEED = "speed-ups -10 %"
    LESS_POWER = "power -10 %"
    FEWER_CORES = "a core fewer"


@dataclass(frozen=True, eq=False)
class OtherInput:
    """A changed input of a replay: table, workload, and a factor on the gaps between arrivals."""

    name: str
    table: Ladder
    load: Workload
    gaps: float = 1.0


def changed_inputs(table: Ladder, load: Workload) -> Iterator[OtherInput]:
    """Change each input in turn (demand, rate, speeds, resources) without changing the rows."""
    yield OtherInput(InputChange.MORE_DEMAND, table, with_more_work(load, 1 + _PART))
    yield OtherInput(InputChange.LESS_DEMAND, table, with_more_work(load, 1 - _PART))
    yield OtherInput(InputChange.HIGHER_RATE, table, load, 1 / (1 + _PART))
    yield OtherInput(InputChange.LOWER_RATE, table, load, 1 / (1 - _PART))
    less = with_slower_cores if Rule.CORE_PER_REQUEST in table.rules else with_slower_rungs
    yield OtherInput(InputChange.LESS_SPEED, table, less(load, _PART))
    yield from _scarcer(table, load)


def _scarcer(table: Ladder, load: Workload) -> Iterator[OtherInput]:
    """The table with less of each limited supply: 10 % of the power, or one core of a type."""
    limited = [at for at, unit in enumerate(table.cost_units) if unit.capacity_ppm is not None]
    for at in limited:
        unit = table.cost_units[at]
        is_power = unit.name in (WATTS, POWER)
        name = InputChange.LESS_POWER if is_power else InputChange.FEWER_CORES
        capacity_ppm = _less(unit, is_power=is_power)
        if capacity_ppm <= 0:
            continue
        units = list(table.cost_units)
        units[at] = replace(unit, capacity_ppm=capacity_ppm)
        of = f" of {printable(unit.name)}" if len(limited) > 1 else ""
        yield OtherInput(f"{name}{of}", replace(table, cost_units=tuple(units)), load)


def _less(unit: CostUnit, *, is_power: bool) -> int:
    """The reduced capacity of a supply; 0 for a single core."""
    assert unit.capacity_ppm is not None
    return round(unit.capacity_ppm * (1 - _PART)) if is_power else unit.capacity_ppm - PPM
