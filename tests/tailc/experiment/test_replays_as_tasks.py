"""Replays as tasks of an engine, in other processes: the same results as in threads."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from tailc.diff.behaviour import behaviour
from tailc.errors import Code, TailcError
from tailc.experiment.options import VerifyOptions
from tailc.models.arrivals import Poisson
from tailc.tasks.engine import LostTask, results_of
from tailc.verify.judge import verify
from tailc.verify.size import size
from tests.tailc.models.shared_cores.servers import at_once, ladder
from tests.tailc.verify.judge_case import P99
from tests.tailc.verify.policies import held_out, policy

OPTIONS = VerifyOptions(
    arrivals=(Poisson(50_000), Poisson(100_000)),
    requests_per_replay=300,
    replicates=49,
    repeats=4,
    baselines=("seq",),
)
TRACE = held_out(300)


class Pickling:
    """An engine that sends tasks and results as to another process, and runs each task twice."""

    slots = 1
    warnings = ()

    def run_all(self, work, tasks, on_end):
        return [self.run(work, number, task, on_end) for number, task in enumerate(tasks)]

    def run(self, work, number, task, on_end):
        sent = pickle.dumps((work, task))
        results = []
        for _ in range(2):
            work, task = pickle.loads(sent)
            results.append(pickle.loads(pickle.dumps(work(task))))
        assert results[0] == results[1]
        on_end(number, results[0])
        return results[0]


class Losing:
    """An engine that loses every task."""

    slots = 1
    warnings = ()

    def run_all(self, _work, tasks, _on_end):
        return [LostTask() for _ in tasks]


def with_progress():
    reported: list[tuple[int, int]] = []
    report = lambda done, total: reported.append((done, total))  # noqa: E731
    return replace(OPTIONS, engine=Pickling(), progress=report), reported


def test_a_verdict_is_that_of_threads():
    options, reported = with_progress()
    assert verify(policy(P99), TRACE, options) == verify(policy(P99), TRACE, OPTIONS)
    assert reported == [(1, 2), (2, 2)]


def test_a_capacity_is_that_of_threads():
    options, reported = with_progress()
    few = held_out(100)
    assert size([policy(P99)], few, options) == size([policy(P99)], few, OPTIONS)
    assert reported == [(1, 2), (2, 2)]


def test_a_comparison_of_policies_is_that_of_threads():
    options, reported = with_progress()
    policies = policy(P99), policy(P99, form=ladder(at_once((0, 0)), cores=8, rungs=2))
    threaded = behaviour(*policies, TRACE, OPTIONS)
    assert behaviour(*policies, TRACE, options) == threaded
    assert threaded.decisions.changed_requests > 0
    assert reported == [(1, 2), (2, 2)]


def test_a_lost_task_is_an_error():
    with pytest.raises(TailcError) as lost:
        results_of(Losing(), abs, [1], None)
    assert lost.value.findings[0].code is Code.LOST_TASK
