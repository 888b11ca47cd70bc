"""Arrival processes from the words of the command line."""

from __future__ import annotations

from tailc.errors import Code, Finding, Place, TailcError
from tailc.replay.arrivals import (
    FEWEST_ARRIVALS,
    LONGEST_YEARS,
    MOST_ARRIVALS,
    Burst,
    Bursts,
    RateProfile,
    Step,
    is_too_long,
    mean_requests,
)
from tailc.traces.rate_steps import read_rate_steps
from tailc.units import parse_mrps, shorten


def bursts(words: str) -> Bursts:
    """Such as `500@45/s,500@30/s`; ValueError with a sentence for anything else."""
    parts = tuple(_burst(word.strip()) for word in words.split(","))
    if (total := sum(burst.requests for burst in parts)) > MOST_ARRIVALS:
        raise ValueError(f"{total} requests are too many: at most {MOST_ARRIVALS}")
    if total < FEWEST_ARRIVALS:
        raise ValueError(f"`{shorten(words)}` is too short: at least {FEWEST_ARRIVALS} requests")
    made = Bursts(parts)
    if is_too_long(made.requests, made.rate_mrps):
        raise ValueError(f"the bursts take over {LONGEST_YEARS} years: raise their rates")
    return made


def _burst(word: str) -> Burst:
    count, at, rate = word.partition("@")
    if not at or not (count.isascii() and count.strip().isdecimal()) or not int(count):
        raise ValueError(f"`{shorten(word)}` is not a number of requests at a rate: `500@45/s`")
    rate_mrps = parse_mrps(rate)
    if not rate_mrps:
        raise ValueError(f"`{shorten(word)}` never ends: its rate must be more than zero")
    return Burst(int(count), rate_mrps)


def rate_profile(path: str) -> RateProfile:
    """The rate profile in a file; TailcError where it is none, or too short or too long."""
    steps = tuple(Step(duration_us, rate) for duration_us, rate in read_rate_steps(path))
    count = mean_requests(steps)
    if FEWEST_ARRIVALS <= count <= MOST_ARRIVALS:
        return _lasting(RateProfile(steps), path)
    few = count < FEWEST_ARRIVALS
    limit = f"at least {FEWEST_ARRIVALS}" if few else f"at most {MOST_ARRIVALS}"
    message = f"the profile brings {count:.6g} requests in the mean, and a replay takes {limit}"
    hint = "lengthen the durations" if few else "shorten the durations: the shape stays the same"
    raise TailcError(Finding(Code.BAD_RATES, message, Place(path), hint))


def _lasting(profile: RateProfile, path: str) -> RateProfile:
    if not is_too_long(profile.mean_requests, profile.rate_mrps):
        return profile
    message = f"the profile takes over {LONGEST_YEARS} years"
    raise TailcError(Finding(Code.BAD_RATES, message, Place(path), "shorten the durations"))
