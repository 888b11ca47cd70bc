"""Bootstrap samples whose largest requests come from a law fitted to the tail."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tailc.models import streams
from tailc.models.perturbations import bootstrap, with_work
from tailc.models.streams import Purpose
from tailc.models.workload import Workload
from tailc.traces.power_law import fit_power_law, index_above
from tailc.traces.tail_fit import TailLaw, fit_tail

# A smaller sample is repeated until it has this many requests. Otherwise a request from the fitted
# tail would be one in a few hundred, which is far more often than the law says.
_FEWEST_REQUESTS = 5_000
# A larger sample has enough requests in its tail, so no law is fitted.
_MOST_REQUESTS = 100_000
# The tail: 5 % of the requests, but at least 30.
_TAIL_SHARE, _FEWEST_IN_TAIL = 0.05, 30
# A bootstrap sample has about two thirds of the rows of its source, so fewer distinct rows than 30.
_FEWEST_ROWS = 12
# Draws are cut off at this multiple of the longest measured request.
_MOST_TIMES_LONGEST = 100.0
# From this many requests on the tail has 100, which show its index well enough.
_KNOWN_TAIL = 2_000
# A power law with a smaller index has an infinite variance. Its index is lowered by this number of
# standard errors (5 % of indices are lower), but a mean remains.
_FINITE_VARIANCE = 2.0
_STANDARD_ERRORS = 1.645
_LEAST_INDEX = 1.05


def bootstrap_with_fitted_tail(workload: Workload, seed: int) -> Workload:
    """A bootstrap sample of the workload, with new values for the work of its largest requests.

    The work above the 95th percentile (of the 30 largest requests in a small sample) is drawn from
    a generalized Pareto law. The law is fitted to each bootstrap sample, so that the draws also
    reflect how uncertain the fit is. If most of a small workload follows a power law, they are
    drawn from that law, and the index is at the lower end of its interval if the variance is
    infinite. The result is a plain bootstrap sample if no law fits or if the workload has more than
    100,000 requests.
    """
    sample = bootstrap(workload, seed)
    share = max(_TAIL_SHARE, min(_FEWEST_IN_TAIL / sample.requests, 1.0))
    law = fit_tail(sample.work_ns.astype(float), sample.weight, share, _FEWEST_ROWS)
    if law is None or sample.requests > _MOST_REQUESTS:
        return sample
    law = _power_law(workload, sample, law.start, law.share) or law
    repeats = -(-_FEWEST_REQUESTS // sample.requests)
    weight = sample.weight * repeats
    by_work = np.argsort(sample.work_ns, kind="stable")
    is_tail = sample.work_ns[by_work] > law.start
    body, tail_rows = by_work[~is_tail], by_work[is_tail]
    tail = np.repeat(tail_rows, weight[tail_rows])
    most_ns = _MOST_TIMES_LONGEST * sample.work_ns.max()
    drawn_ns = np.minimum(law.exceeded_by(_tail_parts(len(tail), seed)), most_ns)
    rows = replace(
        sample.select(np.concatenate([body, tail])),
        weight=np.concatenate([weight[body], np.ones(len(tail), np.int64)]),
    )
    work_ns = np.concatenate([sample.work_ns[body], np.sort(drawn_ns).astype(np.int64)])
    return with_work(rows, work_ns.astype(np.float64))


def _power_law(workload: Workload, sample: Workload, start: float, share: float) -> TailLaw | None:
    """A power law above `start` for a sample; None if most of the workload follows no such law."""
    if workload.requests >= _KNOWN_TAIL:
        return None
    found = fit_power_law(workload.work_ns.astype(float), workload.weight)
    if found is None or start < found.start:
        return None
    index = index_above(found.start, sample.work_ns.astype(float), sample.weight)
    if found.index < _FINITE_VARIANCE:
        many = int(sample.weight[sample.work_ns >= found.start].sum())
        index = max(index * (1 - _STANDARD_ERRORS / math.sqrt(many)), _LEAST_INDEX)
    return TailLaw(start, share, 1 / index, start / index)


def _tail_parts(count: int, seed: int) -> NDArray[np.float64]:
    """Uniform random numbers in (0, 1], float64 (count,)."""
    parts = np.empty(count)
    streams.uniforms(streams.stream(seed, Purpose.TAIL), parts)
    return 1.0 - parts
