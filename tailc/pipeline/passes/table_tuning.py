"""Passes that tune the table on replays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from tailc.artifact.envelope import Policy
from tailc.experiment.tuning_objective import TuningObjective
from tailc.pipeline.auto.effort import Effort
from tailc.pipeline.auto.within import aim_within
from tailc.pipeline.passes.step import Sample, Step
from tailc.pipeline.queue.approach import approach_to
from tailc.pipeline.queue.clock_approach import clock_approach
from tailc.pipeline.queue.evidence import queue_remarks, tuned_policy
from tailc.pipeline.queue.tune import AnyTuned, tuned_for_queue
from tailc.traces.reading import clock_khz_of


@dataclass(frozen=True)
class TableTuning:
    """The table, tuned on the replay."""

    aim: TuningObjective

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """With the tuned table, where it is better than the formula's."""
        tuned = self._tuned(policy, sample)
        return Step(tuned_policy(policy, tuned), (tuned,), queue_remarks(tuned))

    def _tuned(self, policy: Policy, sample: Sample) -> AnyTuned:
        table, clock_khz = policy.tail_table, clock_khz_of(policy.reading)
        if table is None:
            ladders = partial(approach_to, policy.ladders[0], sample.design)
            return tuned_for_queue(self.aim, ladders, sample.threads, sample.progress)
        assert clock_khz is not None
        clocks = partial(clock_approach, table, clock_khz, sample.design)
        return tuned_for_queue(self.aim, clocks, sample.threads, sample.progress)


@dataclass(frozen=True)
class CandidateTuning:
    """The best of the candidates, tuned as far as the effort goes; its rates may be too high."""

    aim: TuningObjective
    effort: Effort

    def applied(self, policy: Policy, sample: Sample) -> Step:
        """With the tuned table, where it is better than the candidate's."""
        towards = partial(approach_to, policy.ladders[0], sample.design)
        aim = aim_within(self.effort, self.aim, towards)
        return Step(policy) if aim is None else TableTuning(aim).applied(policy, sample)
