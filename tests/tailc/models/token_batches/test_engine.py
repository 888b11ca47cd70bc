"""The compiled engine of token batches: times equal those of a plain twin, and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from tailc.forms.budget_table import BatchEngine, BudgetRow, BudgetTable, static_budget
from tailc.forms.step_times import NOTHING, StepPart, StepTimes, part_ns, step_ns
from tailc.models.token_batches.arrays import NEVER, TokenScheduler, token_requests
from tailc.models.token_batches.replay import iterations, replay
from tailc.specs.slo import Metric, Slo
from tests.tailc.models.token_batches.plain import PlainServer, Sequence

MS = 1_000_000
STEP = StepTimes(
    fixed_ns=4 * MS,
    tokens=StepPart((0, 64, 512), (0, 1 * MS, 20 * MS)),
    prompt=StepPart((0, 256), (0, 5 * MS)),
    decoding=StepPart((0, 32), (0, 2 * MS)),
    context=StepPart((0, 10_000), (0, 7 * MS)),
)


def engine(**changes) -> BatchEngine:
    limits = {"kv_blocks": 40, "block_tokens": 8, "max_sequences": 6, "step": STEP}
    return BatchEngine(**(limits | changes))


def random_requests(seed, number, mean_gap_ms=6.0, longest=120):
    """Requests (arrival, prompt, output, cached, priority), int64 (number,) each."""
    rng = np.random.default_rng(seed)
    arrival = np.cumsum(np.rint(rng.exponential(mean_gap_ms * MS, number))).astype(np.int64)
    prompt = rng.integers(1, longest, number)
    output = rng.integers(1, 60, number)
    cached = np.minimum(rng.integers(0, longest, number) * rng.integers(0, 2, number), prompt - 1)
    return arrival, prompt, output, cached, rng.integers(0, 3, number)


def pressure_table(engine):
    """A table whose cells, and limits of starting sequences, all differ."""
    rows = (
        BudgetRow(0, 3, (128, 64, 200)),
        BudgetRow(1, 2, (32, 16, 5)),
        BudgetRow(3, 1, (0, 40, 70)),
        BudgetRow(5, 0, (3, 4, 500)),
    )
    return BudgetTable((0, 50, 300), rows, engine)


TABLES = {
    "static": lambda engine: static_budget(engine, 48),
    "large": lambda engine: static_budget(engine, 16_384),
    "pressure": pressure_table,
}


@pytest.mark.parametrize("prompts_first", [False, True])
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("limits", [{}, {"kv_blocks": 25}, {"block_tokens": 1, "kv_blocks": 190},
                                    {"max_sequences": 1}])  # fmt: skip
def test_every_time_is_that_of_the_plain_twin(name, limits, prompts_first):
    table = TABLES[name](engine(**limits))
    requests = random_requests(7, 150)
    if prompts_first:
        requests = requests[:-1]
    found = replay(TokenScheduler("", "", table, prompts_first), token_requests(*requests))
    server = PlainServer(
        table, [Sequence(*map(int, row)) for row in zip(*requests, strict=True)], prompts_first
    ).run()
    ended = sorted(server.ended, key=lambda one: one.arrival)
    assert found.log.ttft_ns.tolist() == [one.times[0] - one.arrival for one in ended]
    assert found.log.end_ns.tolist() == [one.times[-1] for one in ended]
    assert found.log.gap_ns.tolist() == [
        int(gap) for one in ended for gap in np.diff(np.array(one.times))
    ]
    assert (found.iterations, found.preemptions) == (len(server.steps), server.preemptions)
    scheduler = TokenScheduler("", "", table, prompts_first)
    assert iterations(scheduler, token_requests(*requests)).tolist() == server.steps


@pytest.mark.parametrize(
    ("limit_ms", "gap_tokens"), [(4, NEVER), (12, NEVER), (30, NEVER), (12, 20)]
)
@pytest.mark.parametrize("limits", [{}, {"kv_blocks": 25}])
def test_iterations_within_a_time_are_those_of_the_plain_twin(limits, limit_ms, gap_tokens):
    table = static_budget(engine(**limits), 400)
    scheduler = TokenScheduler("", "", table, limit_ns=limit_ms * MS, gap_tokens=gap_tokens)
    *columns, cached, _priority = random_requests(8, 120)
    requests = (*columns, 0 * cached)
    server = PlainServer(
        table,
        [Sequence(*map(int, row)) for row in zip(*requests, strict=True)],
        limit_ns=limit_ms * MS,
        gap_tokens=gap_tokens,
    ).run()
    steps = iterations(scheduler, token_requests(*requests)).tolist()
    assert steps == server.steps
    if not limits:
        late = [one for one in steps if step_ns(STEP, *one) > limit_ms * MS and one[1] and one[0]]
        assert bool(late) == (gap_tokens < NEVER)


def test_a_small_cache_preempts():
    found = replay(
        TokenScheduler("", "", static_budget(engine(kv_blocks=25), 48)),
        token_requests(*random_requests(7, 150)),
    )
    assert found.preemptions > 0


def test_the_lowest_priority_starts_first_and_is_the_last_to_lose_its_cache():
    """Three at once, one after the other: by priority, by their prompts, or as they arrive."""
    one = static_budget(engine(max_sequences=1), 64)
    columns = [np.array(column) for column in ([0, 0, 0], [50, 60, 40], [2, 2, 2], [0, 0, 0])]
    orders = {
        (2, 0, 1): (token_requests(*columns, np.array([1, 1, 0])), False),
        (2, 1, 0): (token_requests(*columns, np.array([2, -1, -7])), False),
        (0, 1, 2): (token_requests(*columns), False),
        (2, 0, 1, ""): (token_requests(*columns), True),
    }
    for order, (requests, shortest) in orders.items():
        found = replay(TokenScheduler("", "", one, shortest_first=shortest), requests)
        assert np.argsort(found.log.ttft_ns).tolist() == list(order[:3])
    # Two decode; only the later one, which has the lower priority, keeps its cache.
    small = static_budget(engine(kv_blocks=5, max_sequences=2), 64)
    both = [np.array(column) for column in ([0, 1], [16, 16], [16, 16], [0, 0])]
    found = replay(TokenScheduler("", "", small), token_requests(*both, np.array([1, 0])))
    assert found.preemptions == 1
    assert found.log.end_ns[1] < found.log.end_ns[0]


def test_a_batch_of_one_is_a_queue_with_one_server():
    """Lindley's recursion, exactly, and the mean wait of Pollaczek and Khinchine."""
    number, rate = 60_000, 60.0
    rng = np.random.default_rng(3)
    arrival = np.cumsum(np.rint(rng.exponential(1e9 / rate, number))).astype(np.int64)
    prompt = rng.integers(1, 400, number)
    one = engine(kv_blocks=1_000, max_sequences=1)
    ones = np.ones(number, np.int64)
    requests = token_requests(arrival, prompt, ones, 0 * ones)
    found = replay(TokenScheduler("", "", static_budget(one, 1_000)), requests)
    service = np.array([step_ns(STEP, int(p), 0, 0) for p in prompt])
    free = 0
    waits = []
    for at, took in zip(arrival.tolist(), service.tolist(), strict=True):
        waits.append(max(free - at, 0))
        free = max(free, at) + took
    assert found.log.ttft_ns.tolist() == (np.array(waits) + service).tolist()
    seconds = service / 1e9
    load = rate * seconds.mean()
    expected = rate * (seconds**2).mean() / (2 * (1 - load))
    assert np.mean(waits) / 1e9 == pytest.approx(expected, rel=0.06)


def test_without_limits_all_sequences_share_the_iterations():
    """Sequences that arrive together, with equal prompts, end together: processor sharing."""
    wide = engine(kv_blocks=10_000, max_sequences=50)
    number = 50
    requests = token_requests(*(np.full(number, v, np.int64) for v in (0, 10, 20, 0)))
    found = replay(TokenScheduler("", "", static_budget(wide, 500)), requests)
    assert found.iterations == 20
    assert len(set(found.log.end_ns.tolist())) == 1
    each = [step_ns(STEP, 500, 0, 0)]
    each += [step_ns(STEP, 0, number, number * (10 + k)) for k in range(19)]
    assert found.log.end_ns[0] == sum(each)


def test_metrics_of_one_request():
    requests = token_requests(*(np.array([v]) for v in (5, 10, 3, 0)))
    found = replay(TokenScheduler("", "", static_budget(engine(), 16)), requests)
    first, second = step_ns(STEP, 0, 1, 10), step_ns(STEP, 0, 1, 11)
    expected = {
        Metric.TTFT: [step_ns(STEP, 10, 0, 0)],
        Metric.ITL: [first, second],
        Metric.TPOT: [(first + second) // 2],
    }
    for metric, values in expected.items():
        assert found.values(Slo(990_000, 1, metric=metric)).value_ns.tolist() == values


def test_a_cached_prefix_costs_no_prompt_tokens():
    for cached in (0, 9):
        requests = token_requests(*(np.array([v]) for v in (0, 10, 1, cached)))
        found = replay(TokenScheduler("", "", static_budget(engine(), 16)), requests)
        assert found.log.ttft_ns.tolist() == [step_ns(STEP, 10 - cached, 0, cached)]


def test_a_part_continues_with_its_last_slope():
    part = StepPart((0, 10, 20), (0, 100, 110))
    assert [part_ns(part, at) for at in (0, 5, 10, 15, 20, 40)] == [0, 50, 100, 105, 110, 130]
    assert part_ns(NOTHING, 1_000_000) == 0
