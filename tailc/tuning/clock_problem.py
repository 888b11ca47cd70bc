"""Tuning problems of tail tables: the bound and the entries that minimise energy."""

from __future__ import annotations

from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.tail_table import TailTable
from tailc.models.core_queues.clocks import ClairvoyantRule, Clocks
from tailc.models.core_queues.model import CoreQueues
from tailc.models.workload import Workload, clocked_workload
from tailc.traces.profile import DemandProfile
from tailc.tuning import core_queues_space as core_queues
from tailc.tuning.core_queues_space import CoreQueuesSpace, with_bound_scaled
from tailc.tuning.tuning_problem import TuningProblem, tuning_error

# Energy is more sensitive to a bound than a tail is.
_PARTS = 512


def clock_problem(
    formula: TailTable, reference_khz: int, design: DemandProfile, aim: TuningObjective
) -> TuningProblem[TailTable]:
    """The problem of tables with the levels and rows of the formula's table.

    `reference_khz` is the frequency at which the work was measured. Tables are compared with the
    formula's table, with the largest bound that meets the limit. Raises TailcError if cores have
    only one frequency.
    """
    limit_us = aim.limit_us
    assert limit_us is not None
    if len(formula.levels) == 1:
        message = (
            "this search tunes tables for cores with several frequencies, and the server has one"
        )
        raise tuning_error(
            message, "give several frequencies, or choose another objective", "server"
        )
    foresight = ClairvoyantRule(aim.percentile_ppm, limit_us)
    return TuningProblem(
        base=formula,
        load=clocked_workload(design, Clocks(formula, reference_khz)),
        cores=formula.cores,
        capacity_of=lambda load: _capacity(formula, reference_khz, load),
        capacity_condition="each at the highest frequency",
        subject_of=lambda table: CoreQueues("table", Clocks(table, reference_khz)),
        search_space=lambda _: CoreQueuesSpace(formula),
        starts=core_queues.STARTS,
        earlier=with_bound_scaled,
        parts=_PARTS,
        most_parts=core_queues.MOST_TIMES * _PARTS,
        relaxed=lambda table: clock_problem(table, reference_khz, design, aim),
        foreseen=CoreQueues("clairvoyant", Clocks(formula, reference_khz, foresight)),
    )


def _capacity(formula: TailTable, reference_khz: int, load: Workload) -> float:
    """Of all cores at the highest frequency, which shortens compute and no memory time."""
    memory_ns = 0 if load.memory_ns is None else load.memory_ns
    stretch = reference_khz / formula.levels[-1].frequency_khz
    fastest_ns = (load.work_ns - memory_ns) * stretch + memory_ns
    worked_ns, lasts_ns = (float((each * load.weight).sum()) for each in (load.work_ns, fastest_ns))
    return formula.cores * worked_ns / lasts_ns
