"""Split a trace into a design part and a held-out part.

The rules use only integers and SHA-256, so that any programming language gets the same parts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError
from tailc.percentiles import PPM
from tailc.traces.bins import merge_bins
from tailc.traces.profile import DemandProfile
from tailc.traces.reading import SplitBy, SplitRule
from tailc.traces.split_keys import below_fraction, drawn_keys
from tailc.traces.trace import Trace


def split_profile(trace: Trace, rule: SplitRule) -> tuple[DemandProfile, DemandProfile]:
    """Split a trace into its design part and its held-out part, both in trace order.

    The parts are binned if the reading requests it. Raises TailcError (BAD_SPLIT) if a part is
    empty.
    """
    held_out = held_out_mask(trace, rule)
    for part, chosen in (("design", ~held_out), ("held-out", held_out)):
        if not chosen.any():
            raise _empty_part(part, rule, trace.requests.rows)
    design, judged = trace.requests.select(~held_out), trace.requests.select(held_out)
    if trace.bin_us is None:
        return design, judged
    return merge_bins(design, trace.bin_us), merge_bins(judged, trace.bin_us)


def held_out_mask(trace: Trace, rule: SplitRule) -> NDArray[np.bool_]:
    """Whether each request of a trace is held out, before binning.

    time: requests at or after the time of the ceil(fraction * n)-th latest one; all requests of
    that time are held out, so there can be more than the fraction.

    hash: requests whose id has a SHA-256 with the first 8 bytes, big-endian, below fraction * 2^64;
    so all requests of an id are in the same part of every trace.

    seed: like hash, with the text `seed:row`, in which rows count from 1.

    hash and seed hold out approximately the fraction.
    """
    requests, keys = trace.requests, trace.split_key
    if keys is None:
        keys = drawn_keys(rule.seed, 1, requests.rows)
    if rule.by is not SplitBy.TIME:
        return below_fraction(keys, rule)
    latest = -(-rule.fraction_ppm * requests.rows // PPM)
    return keys >= _latest_time(keys, requests.repeats, latest)


def _latest_time(times: NDArray, repeats: NDArray[np.int64] | None, number: int) -> NDArray:
    """Earliest time of the `number` latest rows."""
    if repeats is None:
        return np.partition(times, len(times) - number)[len(times) - number]
    order = np.argsort(times)[::-1]
    return times[order[np.searchsorted(np.cumsum(repeats[order]), number)]]


def _empty_part(part: str, rule: SplitRule, requests: int) -> TailcError:
    percent = rule.fraction_ppm * 100 / PPM
    message = (
        f"if `{percent:g} %` of {requests} requests are held out by {rule.by.value}, the {part} "
        "part is empty"
    )
    help_ = "hold out a fraction nearer to 50 %, use another rule, or give more requests"
    return TailcError(Finding(Code.BAD_SPLIT, message, Place("trace", field=rule.column), help_))
