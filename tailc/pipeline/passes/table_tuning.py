"""Passes that tune a table by replay."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from tailc.artifact.envelope import Policy
from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.core_queues.clocks import Clocks
from tailc.pipeline.auto.budgeted_objective import aim_within
from tailc.pipeline.auto.effort import Effort
from tailc.pipeline.passes.step import DesignSample, PassResult
from tailc.traces.reading import clock_khz_of
from tailc.tuning.clock_problem import clock_problem
from tailc.tuning.evidence import tuning_warnings, with_tuned_table
from tailc.tuning.tuned_table import AnyTunedTable, tune_table
from tailc.tuning.tuning_problem import ladder_problem


@dataclass(frozen=True)
class TableTuning:
    """The pass that tunes a policy's table by replay."""

    aim: TuningObjective

    def apply(self, policy: Policy, sample: DesignSample) -> PassResult:
        """Tune the table by simulation; the policy gets the result if it beats the old table."""
        tuned = self._tune(policy, sample)
        return PassResult(with_tuned_table(policy, tuned), (tuned,), tuning_warnings(tuned))

    def _tune(self, policy: Policy, sample: DesignSample) -> AnyTunedTable:
        table, clock_khz = policy.tail_table, clock_khz_of(policy.reading)
        if table is None:
            ladders = partial(ladder_problem, policy.ladders[0], sample.design)
            return tune_table(self.aim, ladders, sample.threads, sample.progress)
        assert clock_khz is not None
        clocks = partial(clock_problem, Clocks(table, clock_khz), sample.design)
        return tune_table(self.aim, clocks, sample.threads, sample.progress)


@dataclass(frozen=True)
class CandidateTuning:
    """The pass that tunes the best of several candidates, at the rates that it can serve.

    effort: limits the simulated requests.
    """

    aim: TuningObjective
    effort: Effort

    def apply(self, policy: Policy, sample: DesignSample) -> PassResult:
        """Tune the table by simulation; the policy gets the result if it beats the old table."""
        towards = partial(ladder_problem, policy.ladders[0], sample.design)
        aim = aim_within(self.effort, self.aim, towards)
        return PassResult(policy) if aim is None else TableTuning(aim).apply(policy, sample)
