"""Samples of a law whose largest requests are drawn anew, as another sample would have others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tailc.models.perturbations import resampled
from tailc.models.streams import Purpose, uniforms
from tailc.models.workload import Workload
from tailc.traces.tail_fit import fitted_tail

# A small sample is drawn so many times that it has this many requests: its largest request would
# come far too often otherwise. A large one tells its tail by itself.
_FEWEST, _MOST = 5_000, 100_000
# The tail is this share of the requests, and of a small sample as many as this. A bootstrap sample
# has two thirds of the rows that it is drawn from.
_SHARE, _LEAST_TAIL, _FEWEST_ROWS = 0.05, 30, 12
# No request is so many times longer than the longest that was measured.
_LONGEST = 100.0


def resampled_with_tail(load: Workload, seed: int) -> Workload:
    """A bootstrap sample whose work above the 95th percentile follows a law that is fitted to it.

    The law is a generalized Pareto law. It is fitted to the bootstrap sample itself, so that laws
    differ from sample to sample by as much as a few large requests leave open. Where none fits, and
    for more than 100,000 requests, the bootstrap sample is taken as it is.
    """
    drawn = resampled(load, seed)
    share = max(_SHARE, min(_LEAST_TAIL / drawn.requests, 1.0))
    law = fitted_tail(drawn.work_ns.astype(float), drawn.weight, share, _FEWEST_ROWS)
    if law is None or drawn.requests > _MOST:
        return drawn
    is_tail = drawn.work_ns > law.start
    weight = drawn.weight * -(-_FEWEST // drawn.requests)
    by_work = np.argsort(drawn.work_ns, kind="stable")
    (body,) = np.nonzero(~is_tail)
    tail = np.repeat(by_work, np.where(is_tail, weight, 0)[by_work])
    beyond_ns = law.beyond(1.0 - uniforms(len(tail), seed, Purpose.TAIL))
    longest_ns = _LONGEST * drawn.work_ns.max()
    tail_ns = np.sort(np.minimum(beyond_ns, longest_ns)).astype(np.int64)
    return replace(
        drawn,
        work_ns=np.concatenate([drawn.work_ns[body], tail_ns]),
        weight=np.concatenate([weight[body], np.ones_like(tail_ns)]),
        curve_of=drawn.curve_of[np.concatenate([body, tail])],
    )
