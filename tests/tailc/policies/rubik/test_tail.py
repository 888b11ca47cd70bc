"""What a policy comes to on requests that it was not made from: its tail, and what they draw.

On the example's service with three kinds of requests, a core whose bound is about the p95 that it
has at the nominal clock at half load.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tailc.forms.tail_table import LARGEST_TIME_NS, TailRow, Transition
from tailc.models import streams
from tailc.models.core_queues.clocks import Clocks
from tailc.models.core_queues.model import CoreQueues
from tailc.models.core_queues.outcome import CoreQueuesOutcome
from tailc.models.execution_model import BaselineSearch, CandidateResult
from tailc.pipeline.compile import compile_policy
from tailc.traces.trace import read_trace

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "rubik"
NOMINAL_KHZ = 2_400_000
# The feedback takes some hundred steps of 120 requests until it has settled.
SETTLING, MEASURED, MOST = 30_000, 40_000, 4_096
# Two, four and five tenths of what the core can serve at its nominal clock.
RATES = (480, 960, 1_200)
# Of the p95 of so many requests, from one draw to another.
SLACK = 0.01


@functools.cache
def compiled():
    policy = compile_policy(str(EXAMPLE / "service.yaml")).policy
    subject = CoreQueues("own", Clocks(policy.tail_table, NOMINAL_KHZ), policy.controller)
    profile = read_trace(str(EXAMPLE / "heldout.parquet"), policy.reading).profile
    return policy, subject, subject.workload(profile)


@functools.cache
def replayed(name: str, rate: int) -> CoreQueuesOutcome:
    """The policy, itself or without feedback, or a baseline, on the same requests."""
    policy, subject, load = compiled()
    if name == "open-loop":
        subject = replace(subject, steering=None)
    elif name != "own":
        target_us = policy.slos[0].latency_us
        search = BaselineSearch(
            lambda one: CandidateResult(round(tail_us(run(one, rate))), None), 950_000, target_us
        )
        subject = subject.baseline(name, load, search)
    return run(subject, rate)


def run(subject: CoreQueues, rate: int) -> CoreQueuesOutcome:
    _, _, load = compiled()
    arrival_ns = np.empty(SETTLING + MEASURED, np.int64)
    streams.poisson_arrivals(streams.stream(7, rate), rate * 1_000, arrival_ns)
    order = np.empty(len(arrival_ns), np.int32)
    streams.shuffled_passes(
        streams.stream(8, rate), np.arange(len(load.work_ns), dtype=np.int32), order
    )
    return subject.engine(rate * 1_000, MOST).replay(load, order, arrival_ns, SETTLING)


def tail_us(outcome: CoreQueuesOutcome) -> float:
    return float(np.quantile(outcome.latency_ns[outcome.measured], 0.95)) / 1_000


def of_bound(name: str, rate: int) -> float:
    return tail_us(replayed(name, rate)) / compiled()[0].slos[0].latency_us


@pytest.mark.parametrize("rate", RATES)
def test_with_feedback_the_tail_is_within_95_and_100_percent_of_the_bound(rate):
    assert 0.95 <= of_bound("own", rate) <= 1


@pytest.mark.parametrize("rate", RATES)
def test_without_feedback_the_tail_is_further_below_the_bound(rate):
    assert of_bound("open-loop", rate) < of_bound("own", rate) - SLACK


@pytest.mark.parametrize("rate", RATES)
def test_energy_falls_from_one_clock_to_the_table_with_feedback_and_to_perfect_knowledge(rate):
    static, own, known = (
        replayed(name, rate).mean_energy for name in ("static-oracle", "own", "dynamic-oracle")
    )
    assert known < own < static


def test_without_feedback_requests_draw_more_than_with_it_and_less_than_at_the_nominal_clock():
    for rate in RATES:
        fixed, unsteered, own = (
            replayed(name, rate).mean_energy for name in ("fixed", "open-loop", "own")
        )
        assert own < unsteered < fixed


def with_halts(row: TailRow, halt_ns: int) -> TailRow:
    """As a compile makes the entries."""
    halted = [left + (place + 2) * halt_ns for place, left in enumerate(row.left)]
    return replace(row, left=tuple(min(left, LARGEST_TIME_NS) for left in halted))


def halting(halt_us: int, *, is_budgeted: bool) -> CoreQueuesOutcome:
    """The table without feedback at the highest rate, where changes of frequency halt a core."""
    _, subject, _ = compiled()
    table = subject.clocks.table
    halt_ns = halt_us * 1_000
    if is_budgeted:
        rows = tuple(with_halts(row, halt_ns) for row in table.memory_ns)
        table = replace(table, memory_ns=rows)
    table = replace(table, transition=Transition(halt_ns, 0))
    clocks = replace(subject.clocks, table=table)
    return run(replace(subject, clocks=clocks, steering=None), RATES[-1])


@pytest.mark.parametrize("halt_us", [200, 300, 500])
def test_entries_that_include_halts_keep_the_tail_within_the_bound(halt_us):
    bound_us = compiled()[0].slos[0].latency_us
    tails_us = [tail_us(halting(halt_us, is_budgeted=each)) for each in (False, True)]
    assert tails_us[1] <= bound_us < tails_us[0]


def test_a_policy_whose_changes_halt_cores_draws_more_than_one_frequency():
    """As an independent simulator of these requests has it: 3.01 mJ at 50 us, and 2.73 mJ."""
    joules = halting(50, is_budgeted=False).mean_energy, replayed("fixed", RATES[-1]).mean_energy
    assert [each / 1e9 for each in joules] == pytest.approx([3.01e-3, 2.73e-3], rel=0.02)
