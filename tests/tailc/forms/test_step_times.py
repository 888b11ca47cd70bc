"""The bound of the time of a prompt on an idle server."""

from __future__ import annotations

from random import Random

import pytest

from tailc.forms.step_times import NOTHING, StepPart, StepTimes, least_prompt_ns, step_ns

SLOW_LARGE = StepPart((0, 100, 200), (0, 10_000, 100_000))
FAST_LARGE = StepPart((0, 100, 300), (0, 10_000, 10_000))


def times(tokens: StepPart, prompt: StepPart = NOTHING) -> StepTimes:
    return StepTimes(1_000, tokens, prompt, NOTHING, NOTHING)


def shortest_ns(step: StepTimes, prompt: int, largest: int) -> int:
    """The least total time of all ways to divide the prompt, by dynamic programming."""
    least = [0]
    for total in range(1, prompt + 1):
        sizes = range(1, min(total, largest) + 1)
        least.append(min(least[total - size] + step_ns(step, size, 0, 0) for size in sizes))
    return least[prompt]


@pytest.mark.parametrize(
    ("part", "prompt", "largest", "bound"),
    [
        (SLOW_LARGE, 200, 200, 22_000),
        (SLOW_LARGE, 50, 200, 6_000),
        (FAST_LARGE, 300, 300, 11_000),
        (FAST_LARGE, 300, 100, 33_000),
    ],
)
def test_a_prompt_takes_its_best_chunks(part, prompt, largest, bound):
    assert least_prompt_ns(times(part), prompt, largest) == bound
    assert shortest_ns(times(part), prompt, largest) == bound


def test_no_way_to_divide_a_prompt_takes_less_than_the_bound():
    rng = Random(3)
    for _ in range(60):
        parts = []
        for _ in range(2):
            knots = (0, *sorted(rng.sample(range(1, 50), 3)))
            rises = (0, *sorted(rng.randrange(10**9) for _ in range(3)))
            parts.append(StepPart(knots, rises))
        prompt, largest = rng.randint(1, 60), rng.randint(1, 60)
        step = times(*parts)
        # Each part of a time is rounded down to a nanosecond.
        slack_ns = 2 * prompt
        bound = least_prompt_ns(step, prompt, largest)
        assert bound <= shortest_ns(step, prompt, largest) + slack_ns
