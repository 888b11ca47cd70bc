"""Checks of arrival times, and of what they show about how requests were sent and measured."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from tailc.errors import Severity
from tailc.lint.defect import Sighting, check, first_rows
from tailc.lint.views import Stream
from tailc.traces.arrivals import is_clock_going_back
from tailc.traces.closed_loop import correlation, in_system, is_closed_loop
from tailc.traces.epochs import UNITS, epoch_units

_ENOUGH = 100
_HALF_HOUR_S = 1_800
_MOST_ZONES, _NEAR_S = 28, 30
_NS_PER_S = 1e9
_OFTEN, _EVEN = 0.2, 0.01
_LOADED, _IN_ORDER = 0.3, 0.995
_LONGEST_SHARE, _SILENT, _SEVERAL = 0.02, 0.2, 3
_RATE_TIMES, _SURE = 2.0, 8.0


def _gaps(stream: Stream) -> np.ndarray:
    return np.diff(stream.at_ns)


def _zone_jump(stream: Stream) -> Iterator[Sighting]:
    """A step of whole half hours among short steps."""
    gaps_s = _gaps(stream) / _NS_PER_S
    if len(gaps_s) < _ENOUGH or np.median(np.abs(gaps_s)) > _NEAR_S:
        return
    halves = np.rint(gaps_s / _HALF_HOUR_S)
    near = np.abs(gaps_s - halves * _HALF_HOUR_S) < _NEAR_S
    found = near & (np.abs(halves) >= 2) & (np.abs(halves) <= _MOST_ZONES)
    if 0 < found.sum() <= 2:
        at = int(np.argmax(found))
        message = (
            f"the time jumps by {halves[at] / 2:+g} h; the median gap is {np.median(gaps_s):.3g} s"
        )
        yield Sighting(
            message, int(found.sum()), first_rows(stream.row[1:], found), column=stream.column
        )


def _restarts(stream: Stream) -> Iterator[Sighting]:
    """Times that go back to near the first one."""
    span = np.ptp(stream.at_ns)
    back = _gaps(stream) < -0.5 * span if span else np.zeros(0, np.bool_)
    if stream.raw is None:
        back &= ~is_clock_going_back(stream.at_ns)
    if 0 < back.sum() <= len(stream.at_ns) / _ENOUGH + 1 and len(stream.at_ns) >= _ENOUGH:
        rows = first_rows(stream.row[1:], back)
        yield Sighting(
            "the times go back to near the first one", int(back.sum()), rows, column=stream.column
        )


def _epochs(stream: Stream) -> np.ndarray:
    """Unit in which each number is a time since 1970; -1 if none."""
    return epoch_units(np.zeros(0) if stream.raw is None else stream.raw)


def _epoch_unit(stream: Stream) -> Iterator[Sighting]:
    units = _epochs(stream)
    if stream.unit is None or not len(units) or (units < 0).any() or np.ptp(units):
        return
    likely_unit = UNITS[int(units[0])]
    if likely_unit != stream.unit:
        message = f"times look like {likely_unit} since 1970, but are read in {stream.unit}"
        yield Sighting(message, rows=(1,), column=stream.column)


def _mixed_epochs(stream: Stream) -> Iterator[Sighting]:
    units = _epochs(stream)
    known = units >= 0
    if known.any() and np.ptp(units[known]):
        usual = np.bincount(units[known]).argmax()
        found = known & (units != usual)
        message = f"times since 1970 are in {UNITS[int(usual)]}, but here in another unit"
        yield Sighting(
            message, int(found.sum()), first_rows(stream.row, found), column=stream.column
        )


def _zero_times(stream: Stream) -> Iterator[Sighting]:
    """Zeros among times since 1970."""
    if stream.raw is None or (_epochs(stream) >= 0).mean() < 0.5:
        return
    found = stream.raw == 0
    if found.any():
        message = "the time is 0, which is the year 1970, while other times are later"
        yield Sighting(
            message, int(found.sum()), first_rows(stream.row, found), column=stream.column
        )


def _coarse(stream: Stream) -> Iterator[Sighting]:
    gaps = _gaps(stream)
    if len(gaps) < _ENOUGH or not (gaps > 0).any():
        return
    same = gaps == 0
    steps = gaps[gaps > 0]
    is_grid = (steps % steps.min() == 0).all()
    if same.mean() > _OFTEN and is_grid:
        message = (
            f"{same.mean():.0%} of arrivals have the same time as the one before; the clock has a "
            f"resolution of {steps.min() / _NS_PER_S:g} s"
        )
        yield Sighting(
            message, int(same.sum()), first_rows(stream.row[1:], same), column=stream.column
        )


def _even(stream: Stream) -> Iterator[Sighting]:
    gaps = _gaps(stream)
    if len(gaps) >= _ENOUGH and gaps.mean() > 0 and gaps.std() < _EVEN * gaps.mean():
        message = f"requests arrive at constant intervals of {gaps.mean() / _NS_PER_S:.6g} s"
        yield Sighting(message, column=stream.column)


def _rate_shift(stream: Stream) -> Iterator[Sighting]:
    gaps = _gaps(stream)
    if len(gaps) < 2 * _ENOUGH or (gaps < 0).any():
        return
    half = len(gaps) // 2
    first, second = gaps[:half].mean(), gaps[half:].mean()
    if not first or not second:
        return
    times = first / second
    noise = np.sqrt(gaps[:half].var() / first**2 / half + gaps[half:].var() / second**2 / half)
    if max(times, 1 / times) > _RATE_TIMES and abs(np.log(times)) > _SURE * noise:
        message = f"the arrival rate of the second half is {times:.2f} times that of the first half"
        yield Sighting(message, rows=(int(stream.row[half + 1]),), column=stream.column)


def _has_ordered_arrivals(stream: Stream) -> bool:
    """Whether there are ordered arrivals with demands."""
    has_demand = np.isfinite(stream.demand_ns).all()
    return bool(len(stream.at_ns) >= _ENOUGH and has_demand and (_gaps(stream) >= 0).all())


def _is_closed(stream: Stream) -> bool:
    """Whether each request arrives when an earlier one ends."""
    return is_closed_loop(stream.at_ns, stream.demand_ns)


def _closed_loop(stream: Stream) -> Iterator[Sighting]:
    if _has_ordered_arrivals(stream) and _is_closed(stream):
        message = "each request arrives at the moment when an earlier one ends"
        yield Sighting(message, column=stream.column)


def _coordinated_omission(stream: Stream) -> Iterator[Sighting]:
    """Whether fewer requests than usual arrive while the longest requests run.

    Time after the last arrival was not recorded.
    """
    span_ns = int(stream.at_ns[-1] - stream.at_ns[0]) if len(stream.at_ns) else 0
    if not _has_ordered_arrivals(stream) or _is_closed(stream) or span_ns == 0:
        return
    longest = np.argsort(stream.demand_ns)[-int(_LONGEST_SHARE * len(stream.row)) :]
    longest = longest[stream.demand_ns[longest] < stream.at_ns[-1] - stream.at_ns[longest]]
    rate = (len(stream.at_ns) - 1) / span_ns
    # The expected number of arrivals is certain enough only if it is several.
    longest = longest[rate * stream.demand_ns[longest] > _SEVERAL]
    ends = stream.at_ns[longest] + stream.demand_ns[longest]
    came = np.searchsorted(stream.at_ns, ends) - longest - 1
    expected = rate * stream.demand_ns[longest]
    if len(longest) >= _SEVERAL and came.sum() < _SILENT * expected.sum():
        found = np.zeros(len(stream.row), np.bool_)
        found[longest] = True
        message = (
            f"while the longest requests run, {int(came.sum())} requests arrive; at the usual rate "
            f"{expected.sum():.0f} would arrive"
        )
        yield Sighting(
            message, int(found.sum()), first_rows(stream.row, found), column=stream.column
        )


def _is_fifo(stream: Stream) -> bool:
    """Whether answers leave in order of arrival although several requests are in the system."""
    ends = stream.at_ns + stream.demand_ns
    return bool(
        (np.diff(ends) >= 0).mean() > _IN_ORDER
        and in_system(stream.at_ns, stream.demand_ns).mean() > 0.5
    )


def _queueing_in_demands(stream: Stream) -> Iterator[Sighting]:
    if _has_ordered_arrivals(stream) and not _is_closed(stream) and _is_fifo(stream):
        message = "requests end in the order of arrival, as on a single server with a queue"
        yield Sighting(message, column=stream.column)


def _load_dependence(stream: Stream) -> Iterator[Sighting]:
    if not _has_ordered_arrivals(stream) or _is_closed(stream):
        return
    busy = in_system(stream.at_ns, stream.demand_ns)
    found = correlation(busy, stream.demand_ns) if np.ptp(busy) else 0.0
    if found > _LOADED:
        message = "demands increase with the number of requests in the system: their rank "
        message += f"correlation is {found:.2f}"
        yield Sighting(message, column=stream.column)


_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


_check = partial(check, Stream, 1400)

CHECKS = (
    _check(
        1,
        "zone-jump",
        _WARNING,
        _zone_jump,
        "times jump by whole hours",
        "daylight saving or the zone changed, so a replay has a gap or goes back in time",
        "write times in UTC, or with their offset",
    ),
    _check(
        2,
        "joined-recordings",
        _ERROR,
        _restarts,
        "times start again from near the first one",
        "the file has two recordings, which are not one stream of arrivals",
        "replay each separately",
    ),
    _check(
        3,
        "epoch-unit",
        _ERROR,
        _epoch_unit,
        "Unix times are read in another unit",
        "rates are wrong by a factor of a thousand",
        "give their unit with `--time-unit`, or rename the column",
    ),
    _check(
        4,
        "mixed-epochs",
        _ERROR,
        _mixed_epochs,
        "Unix times are in several units",
        "arrivals are years apart",
        "write the trace in one unit",
    ),
    _check(
        5,
        "unset-time",
        _ERROR,
        _zero_times,
        "a time is 0 among Unix times",
        "the request was logged before its time was set, or never finished",
        "leave the row out, and find out why it is so",
    ),
    _check(
        6,
        "coarse-times",
        _WARNING,
        _coarse,
        "many arrivals share a time, because the clock is coarse",
        "a replay turns them into bursts that did not exist",
        "log times in finer units, or replay at a rate instead",
    ),
    _check(
        7,
        "even-arrivals",
        _NOTE,
        _even,
        "requests arrive evenly",
        "a load generator paced them, so queues are shorter than with requests of users",
        "replay at a rate, or record a server with users",
    ),
    _check(
        8,
        "rate-shift",
        _NOTE,
        _rate_shift,
        "the rate doubles or halves along the file",
        "queues at the mean rate represent no part of the recording",
        "compile for the rates of both halves",
    ),
    _check(
        9,
        "closed-loop",
        _ERROR,
        _closed_loop,
        "each request arrives when an earlier one ends",
        "no request was sent while the server was slow, so the longest waits are missing",
        "send at a rate, or correct the times with `tailc ingest --expected-interval`",
    ),
    _check(
        10,
        "coordinated-omission",
        _WARNING,
        _coordinated_omission,
        "fewer requests arrive while long requests run",
        "requests that would have waited were not sent, so percentiles are too low",
        "measure at a rate, with a generator that does not wait",
    ),
    _check(
        11,
        "queue-order",
        _ERROR,
        _queueing_in_demands,
        "requests end in the order in which they arrived",
        "the times are response times and not demands, so a policy counts waiting twice",
        "log times from the start of execution, or processor times",
    ),
    _check(
        12,
        "load-in-demand",
        _WARNING,
        _load_dependence,
        "demands increase with the number of requests in the system",
        "they include waiting or contention, which a policy adds again",
        "measure demand on an idle server, or the processor time of each request",
    ),
)
