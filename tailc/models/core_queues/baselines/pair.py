"""Baseline of two frequencies: one for every request, and one for batch work.

This is what a user can set by hand (Bartolini, 2015, section 3.4, without its table).
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

from tailc.forms.tail_table import Batch, level_at
from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.core_queues.batch_model import pair_name, pair_text
from tailc.models.core_queues.clocks import Clocks, FixedLevel
from tailc.models.core_queues.model import CoreQueues, pairs_by_hand
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload
from tailc.units import format_khz


@final
class TwoFrequencies(Baseline[CoreQueues]):
    """Baseline for cores that share no chip: one frequency for requests, one for batch work."""

    syntax = Syntax("pair-FREQUENCY-BATCH")
    about = "every request at one frequency, batch work at another"
    rank = 15

    def examples(self, policy: CoreQueues) -> tuple[str, ...]:
        return tuple(pair_name(one) for one in pairs_by_hand(policy.clocks)[:1])

    def check_fit(self, policy: CoreQueues, values: NameValues) -> Unfit | None:
        clocks = policy.clocks
        if clocks.table.batch is None:
            return Unfit("its cores have no batch work")
        if clocks.chip is not None:
            return Unfit("batch work of the chip has one frequency", "remove `--chip`")
        levels = [level.frequency_khz for level in clocks.table.levels]
        for khz in (values[Placeholder.FREQUENCY], values[Placeholder.BATCH]):
            if khz not in levels:
                known = ", ".join(map(format_khz, levels))
                return Unfit(f"the server has no frequency {format_khz(khz)}", f"levels: {known}")
        if _pair(clocks, values) is None:
            return Unfit(
                "the policy does not state the power of batch work at that frequency",
                "compile the policy again",
            )
        return None

    def default_names(self, policy: CoreQueues, workload: Workload) -> tuple[str, ...]:
        return ()

    def make(self, setup: Setup[CoreQueues]) -> CoreQueues:
        pair = _pair(setup.policy.clocks, setup.values)
        assert pair is not None
        return at_pair(setup.policy.clocks, pair)


def _pair(clocks: Clocks, values: NameValues) -> Batch | None:
    return clocks.batch_model.pair(values[Placeholder.FREQUENCY], values[Placeholder.BATCH])


def at_pair(clocks: Clocks, pair: Batch) -> CoreQueues:
    """Make the baseline with two frequencies: one for all requests, one for batch work."""
    table = replace(clocks.table, batch=pair)
    rule = FixedLevel(level_at(table, pair.least_khz))
    return CoreQueues(f"fixed at {pair_text(pair)}", replace(clocks, table=table, rule=rule))
