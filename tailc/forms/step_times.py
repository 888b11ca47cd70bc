"""The time of an iteration of a language model's server, by what its batch contains.

    t(p, d, c) = fixed + tokens(p + d) + prompt(p) + decoding(d) + context(c),

p prompt tokens, d decoding sequences and c tokens in the cache of the sequences of the batch. Each
part is linear between knots and does not decrease, so a larger batch never takes less time. All
values are whole numbers, and a part is rounded down.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

# Products of an amount and a time stay below 2^63.
LARGEST_AMOUNT = 2**26
LARGEST_NS = 2**36


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


def ascends(values: Sequence[int]) -> bool:
    """Whether the values ascend strictly: each is larger than the one before."""
    return all(a < b for a, b in itertools.pairwise(values))


@dataclass(frozen=True)
class StepPart:
    """A part of an iteration's time [ns], piecewise linear in an amount of tokens or sequences.

    Beyond the last knot its last slope applies. knots: amounts, from 0 on. time_ns: at each knot,
    from 0 on.
    """

    knots: tuple[int, ...]
    time_ns: tuple[int, ...]

    def __post_init__(self) -> None:
        _require(len(self.knots) == len(self.time_ns), "a knot must have a time, and no other")
        _require(len(self.knots) > 1, "`knots` must have at least two amounts")
        _require(self.knots[0] == 0 and ascends(self.knots), "`knots` must ascend from 0")
        _require(self.knots[-1] <= LARGEST_AMOUNT, "`knots` must be at most 2^26")
        rises = all(a <= b for a, b in itertools.pairwise(self.time_ns))
        _require(self.time_ns[0] == 0 and rises, "`time_ns` must begin with 0 and not decrease")
        _require(self.time_ns[-1] <= LARGEST_NS, "`time_ns` must be at most 2^36")


NOTHING = StepPart((0, 1), (0, 0))
"""A part that takes no time."""


@dataclass(frozen=True)
class StepTimes:
    """Time of an iteration of a language model's server, as a sum of five parts [ns].

    fixed_ns: constant. tokens, prompt, decoding, context: parts by number of tokens, of prompt
    tokens, of decoding sequences, and of tokens in their cache.
    """

    fixed_ns: int
    tokens: StepPart
    prompt: StepPart
    decoding: StepPart
    context: StepPart

    def __post_init__(self) -> None:
        _require(0 < self.fixed_ns <= LARGEST_NS, "`fixed_ns` must be 1 to 2^36")


def part_ns(part: StepPart, amount: int) -> int:
    """Evaluate a part of an iteration's time at an amount of tokens or sequences [ns]."""
    at = min(max(bisect_right(part.knots, amount) - 1, 0), len(part.knots) - 2)
    rise = part.time_ns[at + 1] - part.time_ns[at]
    run = part.knots[at + 1] - part.knots[at]
    return part.time_ns[at] + (amount - part.knots[at]) * rise // run


def step_ns(times: StepTimes, prompt: int, decoding: int, context: int) -> int:
    """Time of an iteration by prompt tokens, decoding sequences and tokens in their cache [ns]."""
    return (
        times.fixed_ns
        + part_ns(times.tokens, prompt + decoding)
        + part_ns(times.prompt, prompt)
        + part_ns(times.decoding, decoding)
        + part_ns(times.context, context)
    )


def least_prompt_ns(times: StepTimes, prompt: int, largest: int) -> int:
    """Lower bound on the time to compute a prompt in iterations of at most `largest` tokens [ns].

    Each token takes at least the least time per token of an iteration, which is at a knot, because
    the time is linear between knots. Smaller chunks can take less in total than the largest ones.
    """
    most = min(prompt, largest)
    knots = {1, most, *times.tokens.knots, *times.prompt.knots}
    return min(prompt * step_ns(times, at, 0, 0) // at for at in knots if 1 <= at <= most)
