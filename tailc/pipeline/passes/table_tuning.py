"""Passes that tune the table on replays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from tailc.artifact.envelope import Policy
from tailc.experiment.tuning_objective import TuningObjective
from tailc.pipeline.auto.effort import Effort
from tailc.pipeline.auto.within import aim_within
from tailc.pipeline.passes.step import Sample, Step
from tailc.traces.reading import clock_khz_of
from tailc.tuning.clock_problem import clock_problem
from tailc.tuning.evidence import tuning_warnings, with_tuned_table
from tailc.tuning.tuned_table import AnyTunedTable, tune_table
from tailc.tuning.tuning_problem import ladder_problem


@dataclass(frozen=True)
class TableTuning:
    """The table, tuned on the replay."""

    aim: TuningObjective

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """With the tuned table, where it is better than the formula's."""
        tuned = self._tuned(policy, sample)
        return Step(with_tuned_table(policy, tuned), (tuned,), tuning_warnings(tuned))

    def _tuned(self, policy: Policy, sample: Sample) -> AnyTunedTable:
        table, clock_khz = policy.tail_table, clock_khz_of(policy.reading)
        if table is None:
            ladders = partial(ladder_problem, policy.ladders[0], sample.design)
            return tune_table(self.aim, ladders, sample.threads, sample.progress)
        assert clock_khz is not None
        clocks = partial(clock_problem, table, clock_khz, sample.design)
        return tune_table(self.aim, clocks, sample.threads, sample.progress)


@dataclass(frozen=True)
class CandidateTuning:
    """The best of the candidates, tuned as far as the effort goes; its rates may be too high."""

    aim: TuningObjective
    effort: Effort

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """With the tuned table, where it is better than the candidate's."""
        towards = partial(ladder_problem, policy.ladders[0], sample.design)
        aim = aim_within(self.effort, self.aim, towards)
        return Step(policy) if aim is None else TableTuning(aim).applied(policy, sample)
