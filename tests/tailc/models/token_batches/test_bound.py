"""The bound on times to the first token: below every schedule, and exact for its relaxation."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tailc.forms.budget_table import BatchEngine, static_budget
from tailc.forms.step_times import NOTHING, StepPart, StepTimes, step_ns
from tailc.models.token_batches import bound as bounds
from tailc.models.token_batches.arrays import TokenScheduler, token_requests
from tailc.models.token_batches.bound import least_ttft_ns
from tailc.models.token_batches.replay import replay
from tailc.percentiles import PPM, percentile_rank

LARGEST = 4


def steps(fixed_ns: int) -> StepTimes:
    """Iterations of 1 us a token, with a cheaper fourth token."""
    tokens = StepPart((0, 3, 4), (0, 3_000, 3_400))
    return StepTimes(fixed_ns, tokens, NOTHING, NOTHING, NOTHING)


def least_of_all_schedules(step, arrival, tokens, rank):
    """The least rank-th time to the first token, by trying every batch of every iteration.

    Decoding sequences pause, which only helps; a server may also wait for the next arrival.
    """
    best = [np.inf]

    def proceed(now, left, ttft):
        if sorted(ttft, reverse=True)[: len(arrival) - rank + 1][-1] >= best[0]:
            return
        if not any(left):
            best[0] = sorted(ttft)[rank - 1]
            return
        for batch in batches([n if at <= now else 0 for at, n in zip(arrival, left, strict=True)]):
            end = now + step_ns(step, sum(batch), 0, 0)
            rest = [n - taken for n, taken in zip(left, batch, strict=True)]
            done = [
                end - at if n and not more else old
                for at, n, more, old in zip(arrival, left, rest, ttft, strict=True)
            ]
            proceed(end, rest, done)
        later = [at for at in arrival if at > now]
        if later:
            proceed(min(later), left, ttft)

    proceed(0, list(tokens), [0] * len(arrival))
    return best[0]


def batches(most):
    """Every choice of 1 to LARGEST tokens of these sequences."""
    found = [()]
    for number in most:
        found = [
            (*one, taken)
            for one in found
            for taken in range(number + 1)
            if sum(one) + taken <= LARGEST
        ]
    return [one for one in found if any(one)]


def tiny(seed):
    rng = np.random.default_rng(seed)
    arrival = np.sort(rng.integers(0, 6_000, 3))
    return arrival - arrival[0], rng.integers(1, 5, 3)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("fixed_ns", "rank"), [(1, 2), (1, 3), (900, 2), (900, 3)])
def test_no_schedule_of_all_is_below_the_bound_and_no_replay_below_the_best_of_all(
    seed, fixed_ns, rank
):
    arrival, tokens = tiny(seed)
    step, ppm = steps(fixed_ns), rank * PPM // 3
    assert percentile_rank(ppm, 3) == rank
    bound = least_ttft_ns(step, arrival, tokens, LARGEST, ppm)
    least = least_of_all_schedules(step, arrival.tolist(), tokens.tolist(), rank)
    assert 0.5 * least <= bound <= least
    engine = BatchEngine(1_000, 4, 3, step)
    requests = token_requests(arrival, tokens, tokens, 0 * tokens)
    for shortest in (False, True):
        scheduler = TokenScheduler("", "", static_budget(engine, 4), shortest_first=shortest)
        ttft = np.sort(replay(scheduler, requests).log.ttft_ns)
        assert least <= ttft[rank - 1]


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_of_the_relaxation_is_that_of_every_set_of_requests(seed, monkeypatch):
    """One token takes 1 ms, so the relaxation is a machine with these works; 7 requests.

    With windows of 3 requests the bound is not above it.
    """
    rng = np.random.default_rng(seed)
    arrival, tokens = np.sort(rng.integers(0, 12, 7)) * 1_000_000, rng.integers(1, 5, 7)
    step = StepTimes(1, StepPart((0, 1), (0, 1_000_000)), NOTHING, NOTHING, NOTHING)
    for rank in (3, 4, 6, 7):
        ppm = rank * PPM // 7
        bound = least_ttft_ns(step, arrival, tokens, 1, ppm)
        wanted = min(
            longest_wait(arrival, tokens, chosen) for chosen in combinations(range(7), rank)
        )
        assert bound == pytest.approx(wanted, rel=0.003)
        with monkeypatch.context() as windows:
            windows.setattr(bounds, "_WINDOW", 3)
            assert 0 < least_ttft_ns(step, arrival, tokens, 1, ppm) <= bound


def longest_wait(arrival, tokens, chosen):
    """The longest time of the chosen requests on a machine, in the order of arrival."""
    free, longest = 0, 0
    for one in chosen:
        free = max(free, int(arrival[one])) + int(tokens[one]) * 1_000_000
        longest = max(longest, free - int(arrival[one]))
    return longest
