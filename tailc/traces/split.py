"""A trace parted into what a policy is designed on and what it is judged on.

The rules use integers and SHA-256 only, so that any language draws the same parts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError
from tailc.percentiles import PPM
from tailc.traces.bins import binned
from tailc.traces.profile import DemandProfile
from tailc.traces.reading import SplitBy, SplitRule
from tailc.traces.split_keys import below_fraction, drawn_keys
from tailc.traces.trace import Trace


def split(trace: Trace, rule: SplitRule) -> tuple[DemandProfile, DemandProfile]:
    """The design part and the held-out part, each in trace order and binned where asked.

    Raises TailcError (BAD_SPLIT) where a part would be empty.
    """
    held_out = held_out_mask(trace, rule)
    for part, chosen in (("design", ~held_out), ("held-out", held_out)):
        if not chosen.any():
            raise _empty_part(part, rule, trace.requests.rows)
    design, judged = trace.requests.select(~held_out), trace.requests.select(held_out)
    if trace.bin_us is None:
        return design, judged
    return binned(design, trace.bin_us), binned(judged, trace.bin_us)


def held_out_mask(trace: Trace, rule: SplitRule) -> NDArray[np.bool_]:
    """Which requests are held out, before binning.

    time: those at or after the time of the ceil(fraction * n)-th latest request; requests of that
    same time are all held out, which may be more than the fraction.
    hash: those whose id's SHA-256, its first 8 bytes big-endian, is below fraction * 2^64; so all
    requests of an id go the same way, in every trace.
    seed: as hash, of the text `seed:row`, where rows of requests count from 1.
    The last two hold out about the fraction, not exactly.
    """
    requests, keys = trace.requests, trace.split_key
    if keys is None:
        keys = drawn_keys(rule.seed, 1, requests.rows)
    if rule.by is not SplitBy.TIME:
        return below_fraction(keys, rule)
    latest = -(-rule.fraction_ppm * requests.rows // PPM)
    return keys >= _latest_time(keys, requests.repeats, latest)


def _latest_time(times: NDArray, repeats: NDArray[np.int64] | None, number: int) -> NDArray:
    """The earliest time of the `number` latest rows."""
    if repeats is None:
        return np.partition(times, len(times) - number)[len(times) - number]
    order = np.argsort(times)[::-1]
    return times[order[np.searchsorted(np.cumsum(repeats[order]), number)]]


def _empty_part(part: str, rule: SplitRule, requests: int) -> TailcError:
    percent = rule.fraction_ppm * 100 / PPM
    message = (
        f"holding out `{percent:g} %` of {requests} requests by {rule.by.value} "
        f"leaves the {part} part empty"
    )
    help_ = "choose another fraction or another rule, or give more requests"
    return TailcError(Finding(Code.BAD_SPLIT, message, Place("trace", field=rule.column), help_))
