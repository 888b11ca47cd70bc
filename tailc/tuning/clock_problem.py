"""The problem of tuning a tail table: its latency bound and entries, for the least energy."""

from __future__ import annotations

from dataclasses import replace

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
    clocks: Clocks, design: DemandProfile, aim: TuningObjective
) -> TuningProblem[TailTable]:
    """Make the problem of tuning a tail table for the least energy.

    clocks: the cores, with the table that the formula computes. Tuned tables are compared with this
    table, with the largest bound that meets the limit. Raises TailcError if cores have only one
    frequency.
    """
    formula, limit_us = clocks.table, aim.limit_us
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
        load=clocked_workload(design, clocks),
        cores=formula.cores,
        capacity_of=lambda load: _capacity(clocks, load),
        capacity_condition="each at the highest frequency",
        subject_of=lambda table: CoreQueues("table", replace(clocks, table=table)),
        search_space=lambda _: CoreQueuesSpace(formula),
        starts=core_queues.STARTS,
        earlier=with_bound_scaled,
        parts=_PARTS,
        most_parts=core_queues.MOST_TIMES * _PARTS,
        relaxed=lambda table: clock_problem(replace(clocks, table=table), design, aim),
        foreseen=CoreQueues("clairvoyant", replace(clocks, rule=foresight)),
    )


def _capacity(clocks: Clocks, load: Workload) -> float:
    """Of all cores at the highest frequency, which shortens compute and no memory time."""
    formula, reference_khz = clocks.table, clocks.reference_khz
    memory_ns = 0 if load.memory_ns is None else load.memory_ns
    stretch = reference_khz / formula.levels[-1].frequency_khz
    fastest_ns = (load.work_ns - memory_ns) * stretch + memory_ns
    worked_ns, lasts_ns = (float((each * load.weight).sum()) for each in (load.work_ns, fastest_ns))
    return formula.cores * worked_ns / lasts_ns
