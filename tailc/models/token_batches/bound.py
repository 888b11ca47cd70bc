"""Lower bound on a percentile of the time to the first token, for all schedules of one engine.

Relaxation: an iteration of p prompt tokens takes at least L(p), whatever else it computes. So a
prompt of n tokens takes at least n times the least L(p) / p up to the request's own tokens, and a
server that computes prompts of several requests needs for each at least n times the least L(p) / p
of all budgets, as work of a single machine. This machine may be preempted, knows the future, and
has no decoding, cache or limit of sequences. It has at least K of n requests by their time of
arrival plus D only if a set of K requests is in time in the order of arrival, because deadlines are
in this order, too. The largest such set is found by removing, whenever a request is late, the one
without which the others end first (Kise, Ibaraki and Mine, Operations Research 26, 1978). The bound
is the largest D, to a part of itself, at which no K requests are in time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.forms.step_times import StepTimes, step_ns
from tailc.models.kernel_decorators import loop, part
from tailc.percentiles import percentile_rank

Int64s = NDArray[np.int64]

# Two parts of the time of an iteration are rounded down to nanoseconds.
_ROUNDING_NS = 2
# Requests that are bounded together. Others are left out, which only relaxes the problem.
_WINDOW = 4_096
# The bisection ends when the bound is within 1 / _PRECISION of the best one.
_PRECISION = 500


def least_ttft_ns(
    step: StepTimes,
    arrival_ns: Int64s,
    tokens: Int64s,
    largest_budget: int,
    percentile_ppm: int,
) -> int:
    """Lower bound on the percentile of the time to the first token [ns].

    It holds for all schedules whose iterations have at most `largest_budget` prompt tokens.
    tokens: those of each prompt that are not cached, int64 (requests,), in the order of arrival.
    """
    alone_ns = _prompt_ns(step, tokens, np.minimum(tokens, largest_budget))
    work_ns = _prompt_ns(step, tokens, np.full_like(tokens, largest_budget))
    needed = percentile_rank(percentile_ppm, len(tokens))
    low = int(np.partition(alone_ns, needed - 1)[needed - 1]) - 1
    waited_ns = _ends(arrival_ns, work_ns) - arrival_ns
    high = max(int(np.partition(waited_ns, needed - 1)[needed - 1]), low + 1)
    most_late = len(tokens) - needed
    while high - low > max(low // _PRECISION, 1):
        middle = (low + high) // 2
        if _late(arrival_ns, work_ns, alone_ns, middle, most_late) > most_late:
            low = middle
        else:
            high = middle
    return low + 1


def _prompt_ns(step: StepTimes, tokens: Int64s, most: Int64s) -> Int64s:
    """Least time of each number of prompt tokens, in iterations of up to `most` of them [ns].

    The time per token is least at a knot or with the most tokens, as time is linear between knots.
    """
    sizes, place = np.unique(most, return_inverse=True)
    full_ns = np.array([_iteration_ns(step, int(size)) for size in sizes])[place]
    least_ns = _in_proportion(full_ns, tokens, most)
    for knot in {1, *step.tokens.knots, *step.prompt.knots} - {0}:
        knot_ns = _in_proportion(_iteration_ns(step, knot), tokens, knot)
        least_ns = np.where(knot <= most, np.minimum(least_ns, knot_ns), least_ns)
    return least_ns


def _iteration_ns(step: StepTimes, tokens: int) -> int:
    return max(step_ns(step, tokens, 0, 0) - _ROUNDING_NS, 0)


def _in_proportion(time_ns: Int64s | int, tokens: Int64s, most: Int64s | int) -> Int64s:
    """time_ns * tokens // most, without a product beyond 64 bits."""
    return tokens * (time_ns // most) + tokens * (time_ns % most) // most


def _late(arrival_ns: Int64s, work_ns: Int64s, alone_ns: Int64s, limit_ns: int, most: int) -> int:
    """The least number of requests that end later than `limit_ns` after their arrival.

    Counting ends above `most`.
    """
    possible = alone_ns <= limit_ns
    late = len(arrival_ns) - int(possible.sum())
    kept_ns, slack_ns = np.empty((2, _WINDOW), np.int64)
    limits = limit_ns, most - late
    return late + _removed(arrival_ns[possible], work_ns[possible], *limits, kept_ns, slack_ns)


@loop
def _removed(arrival_ns, work_ns, limit_ns, most, kept_ns, slack_ns):  # pragma: no cover - compiled
    """The least number of requests without which the others end in time.

    Counting ends above `most`. kept_ns, slack_ns: room for the works of a window that are not
    removed, and for how long each waits to start.
    """
    removed, number, end_ns = 0, 0, 0
    for at in range(len(arrival_ns)):
        if at % len(kept_ns) == 0:
            number, end_ns = 0, 0
        start_ns = max(arrival_ns[at], end_ns)
        kept_ns[number], slack_ns[number] = work_ns[at], start_ns - arrival_ns[at]
        end_ns = start_ns + work_ns[at]
        number += 1
        if end_ns - arrival_ns[at] > limit_ns:
            end_ns -= _remove_worst(kept_ns, slack_ns, number)
            number -= 1
            removed += 1
            if removed > most:
                break
    return removed


@part
def _remove_worst(kept_ns, slack_ns, number):  # pragma: no cover - compiled
    """Remove the request without which the last one ends first; returns how much earlier.

    Those after it start earlier by its work, but not before they arrive.
    """
    worst, at = number - 1, number - 2
    gain_ns, later_ns = kept_ns[worst], slack_ns[worst]
    while at >= 0 and later_ns > gain_ns:
        if min(kept_ns[at], later_ns) > gain_ns:
            gain_ns, worst = min(kept_ns[at], later_ns), at
        later_ns = min(later_ns, slack_ns[at])
        at -= 1
    earlier_ns = kept_ns[worst]
    for at in range(worst, number - 1):
        earlier_ns = min(earlier_ns, slack_ns[at + 1])
        kept_ns[at], slack_ns[at] = kept_ns[at + 1], slack_ns[at + 1] - earlier_ns
    return earlier_ns


def _ends(arrival_ns: Int64s, work_ns: Int64s) -> Int64s:
    """When a machine ends each work, one after the other in the order of arrival [ns]."""
    total_ns = np.cumsum(work_ns)
    return total_ns + np.maximum.accumulate(arrival_ns - (total_ns - work_ns))
