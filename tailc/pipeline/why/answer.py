"""What a table decides in one cell, what of that binds, and what it buys at a rate."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from tailc.errors import Code, Finding, TailcError
from tailc.experiment.options import VerifyOptions
from tailc.experiment.setting import setting_for
from tailc.forms.ladder.lanes import AT_ONCE_AWAKE, Waking
from tailc.forms.ladder.table import Ladder
from tailc.models.arrivals import Arrivals
from tailc.models.shared_cores.arrays import NS_PER_US
from tailc.models.workload import Workload
from tailc.pipeline.progress import Progress, silent
from tailc.pipeline.why.bench import REPLAYS, Bench, Case, Measured
from tailc.pipeline.why.decision import Decision, decision
from tailc.pipeline.why.edits import Edited, edited, with_row_of
from tailc.pipeline.why.effect import Effect, MeasuredEffect, effect, measured_effect
from tailc.pipeline.why.inputs import inputs
from tailc.pipeline.why.presence import Presence, passed, presence
from tailc.threads import thread_count

_What = TypeVar("_What")

REQUESTS = 20_000


@dataclass(frozen=True)
class Asked:
    """Which tail under which arrivals, and how thoroughly; `threads` None is one a processor.

    waking: of batch work beside lanes.
    """

    percentile_ppm: int
    arrivals: Arrivals
    requests: int = REQUESTS
    seed: int = 1
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
    setting = setting_for(load, asked.arrivals, (at.table,), options)
    with ThreadPoolExecutor(thread_count(asked.threads)) as workers:
        progress("replaying the table", 0.0)
        bench = Bench(setting, asked.percentile_ppm, workers, asked.waking)
        (base,) = bench.measured([Case(at.table)])
        if base.is_overloaded:
            raise _no_tail(asked, "requests pile up")
        if not base.tail_us.any():
            raise _no_tail(asked, "all requests that are measured are refused")
        there = _presence(bench, at)
        progress("replaying changes of it", 0.2)
        edits = [(one, Case(one.table)) for one in edited(at)]
        effects = _effects(bench, base, edits)
        against = None if formula is None else _against(bench, at, formula, base)
        progress("replaying other inputs", 0.6)
        varied = _effects(bench, base, tuple(inputs(at.table, load)))
    as_it_is = measured_effect(base, base)
    return Bought(asked, REPLAYS, as_it_is, there, effects, against, varied)


def _presence(bench: Bench, at: Decision) -> Presence:
    table, age_ns = bench.lowered(at.table), at.age_us * NS_PER_US
    first = 0 if at.row == at.table.rows[0] else at.row.first_load
    loads = first, at.row.last_load
    return presence(bench.of_each(at.table, lambda one: passed(one, table, loads, age_ns)))


def _effects(
    bench: Bench, base: Measured, cases: Sequence[tuple[_What, Case]]
) -> tuple[tuple[_What, Effect], ...]:
    found = bench.measured([case for _, case in cases])
    return tuple((what, effect(base, one)) for (what, _), one in zip(cases, found, strict=True))


def _against(bench: Bench, at: Decision, formula: Ladder, base: Measured) -> AgainstFormula:
    """The formula's row in place of ours, and its whole table."""
    tables = [formula]
    if at.row in at.table.rows:
        tables.append(with_row_of(at.table, at.row, formula))
    whole, *row = (effect(base, one) for one in bench.measured([Case(table) for table in tables]))
    theirs = decision(formula, at.load, at.age_us)
    return AgainstFormula(theirs, row[0] if row else None, whole)


def _no_tail(asked: Asked, why: str) -> TailcError:
    message = f"under `{asked.arrivals.name}` {why}: there is no tail to tell"
    return TailcError(Finding(Code.USAGE, message, help="give a lower `--rate`"))
