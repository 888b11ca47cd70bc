"""Energy of batch work on cores that also serve requests, measured in a replay.

The power of the whole server, divided by the batch work per second of all its cores:

    (P_cores + P_outside) / sum_k b_k T(f_k)    joules per unit of work,

with b_k the share of its time that core k does batch work at f_k, and T(f) the work per second of a
core that does nothing else. It is the inverse of the work per joule that a compile computes from
mean times (Bartolini, 2015, eq. 3.3).
"""

from __future__ import annotations

from tailc.models.core_queues.clocks import Clocks
from tailc.models.core_queues.outcome import CoreQueuesOutcome
from tailc.percentiles import PPM

# Stands in for the work of cores that never have time for any; so their energy is finite.
_LEAST_WORK = 1e-6


def joules_per_work(outcome: CoreQueuesOutcome, clocks: Clocks) -> float:
    """Energy of the server per unit of batch work [J]; very high if there is hardly any."""
    outside_w = clocks.batch_model.outside_mw / 1_000
    power_w = outcome.mean_power + outcome.mean_idle_power + outside_w
    return power_w / max(_work_per_second(outcome, clocks), _LEAST_WORK)


def _work_per_second(outcome: CoreQueuesOutcome, clocks: Clocks) -> float:
    """Batch work per second of all cores."""
    assert clocks.table.batch is not None
    model, reference_khz = clocks.batch_model, clocks.reference_khz
    if clocks.chip is None or outcome.chip is None:
        cores = sum(outcome.capacity_ppm) / PPM
        speed = model.work_per_second(clocks.table.batch.frequency_khz, reference_khz)
        return cores * outcome.batch_share * speed
    shares = outcome.shares_of_time(outcome.chip.batch_ns)
    with_halts = outcome.batch_share + outcome.idle_halted
    working = outcome.batch_share / with_halts if with_halts > 0 else 0.0
    levels_khz = [level.frequency_khz for level in clocks.table.levels]
    speeds = [model.work_per_second(khz, reference_khz) for khz in levels_khz]
    return float((shares * speeds).sum()) * working
