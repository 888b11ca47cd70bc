"""Parsers of arrival processes on the command line."""

from __future__ import annotations

import re
from fractions import Fraction

from tailc.errors import Code, Finding, Place, TailcError
from tailc.models.arrivals import (
    FEWEST_ARRIVALS,
    LONGEST_YEARS,
    MOST_ARRIVALS,
    Burst,
    Bursts,
    RateProfile,
    RateStep,
    is_too_long,
    mean_requests,
)
from tailc.models.diurnal import DayCurve, Diurnal
from tailc.models.modulated_arrivals import BUSY_PPM, Burstiness, ModulatedArrivals
from tailc.percentiles import PPM
from tailc.traces.rate_steps import read_rate_steps
from tailc.units import parse_mrps, parse_ppm, parse_us, shorten


def bursts(words: str) -> Bursts:
    """Parse bursts such as `500@45/s,500@30/s` (requests at a rate); ValueError for other text.

    The error has a sentence for the user.
    """
    parts = tuple(_burst(word.strip()) for word in words.split(","))
    if (total := sum(burst.requests for burst in parts)) > MOST_ARRIVALS:
        raise ValueError(f"{total} requests are too many; the limit is {MOST_ARRIVALS}")
    if total < FEWEST_ARRIVALS:
        raise ValueError(
            f"`{shorten(words)}` has too few requests; at least {FEWEST_ARRIVALS} are needed"
        )
    built = Bursts(parts)
    if is_too_long(built.requests, built.rate_mrps):
        raise ValueError(f"the bursts take more than {LONGEST_YEARS} years: raise their rates")
    return built


def _burst(word: str) -> Burst:
    count, separator, rate = word.partition("@")
    if not separator or not (count.isascii() and count.strip().isdecimal()) or not int(count):
        raise ValueError(f"`{shorten(word)}` is not a number of requests at a rate: `500@45/s`")
    rate_mrps = parse_mrps(rate)
    if not rate_mrps:
        raise ValueError(f"`{shorten(word)}` never ends: its rate must be more than zero")
    return Burst(int(count), rate_mrps)


# Rounded to the grid of 1e-6.
_NUMBER = r"[0-9]{1,9}(\.[0-9]{1,6})?"
BURSTY = "`bursty:idc=8,spell=2s`, optionally with busy= and rate="
_IDC, _SPELL, _BUSY, _RATE = _BURSTY_KEYS = ("idc", "spell", "busy", "rate")


def bursty(words: str) -> Burstiness | ModulatedArrivals:
    """Parse a bursty process such as `idc=8,spell=2s,busy=20%,rate=40/s`.

    idc: index of dispersion. Without `rate` the process applies to the rates of other options.
    ValueError with a sentence for other text; TailcError if no process with two rates has these
    parameters.
    """
    parsed: dict[str, str] = {}
    for part in words.split(","):
        key, is_there, value = (word.strip() for word in part.partition("="))
        if not is_there or key not in _BURSTY_KEYS:
            raise ValueError(f"`{shorten(part)}` is not part of {BURSTY}")
        if key in parsed:
            raise ValueError(f"`{key}` is given twice in `{shorten(words)}`")
        parsed[key] = value
    if missing := [key for key in (_IDC, _SPELL) if key not in parsed]:
        raise ValueError(f"`{shorten(words)}` lacks `{missing[0]}=`: write {BURSTY}")
    burstiness = Burstiness(
        _index_ppm(parsed[_IDC]),
        _more_than_zero(_SPELL, parse_us(parsed[_SPELL])),
        _share_ppm(parsed[_BUSY]) if _BUSY in parsed else BUSY_PPM,
    )
    if _RATE not in parsed:
        return burstiness
    return ModulatedArrivals(_more_than_zero(_RATE, parse_mrps(parsed[_RATE])), burstiness)


DIURNAL = "`diurnal:0.5,1,1.5`, levels at equally spaced times of a day, optionally with rate="


def diurnal(words: str) -> DayCurve | Diurnal:
    """Parse relative rates over a day such as `0.5,1,1.5,rate=40/s`.

    Without `rate` they apply to the rates of other options. ValueError with a sentence for other
    text; TailcError for levels that are not a valid day.
    """
    levels, rate_mrps = [], None
    for part in (each.strip() for each in words.split(",")):
        key, is_pair, value = (word.strip() for word in part.partition("="))
        if not is_pair:
            levels.append(_level_ppm(part))
        elif key != _RATE:
            raise ValueError(f"`{shorten(part)}` is not part of {DIURNAL}")
        elif rate_mrps is not None:
            raise ValueError(f"`{key}` is given twice in `{shorten(words)}`")
        else:
            rate_mrps = _more_than_zero(_RATE, parse_mrps(value))
    curve = DayCurve(tuple(levels))
    return curve if rate_mrps is None else curve.with_rate(rate_mrps)


def _level_ppm(word: str) -> int:
    if not re.fullmatch(_NUMBER, word):
        raise ValueError(f"`{shorten(word)}` is not a level of a day, a number such as 0.5")
    return int(Fraction(word) * PPM)


def _index_ppm(word: str) -> int:
    if not re.fullmatch(_NUMBER, word):
        raise ValueError(f"`{shorten(word)}` is not an index of dispersion, a number such as 8")
    index_ppm = int(Fraction(word) * PPM)
    if index_ppm < PPM:
        raise ValueError(
            f"an index of dispersion of `{word}` is below that of Poisson arrivals; it must be at "
            "least 1"
        )
    return index_ppm


def _share_ppm(word: str) -> int:
    share_ppm = parse_ppm(word)
    if not 0 < share_ppm < PPM:
        raise ValueError(f"a busy share of `{word}` is not between 0 % and 100 %")
    return share_ppm


def _more_than_zero(key: str, value: int) -> int:
    if not value:
        raise ValueError(f"`{key}` must be more than zero")
    return value


def rate_profile(path: str) -> RateProfile:
    """Read the rate profile in a file; TailcError if it is invalid, too short or too long."""
    steps = tuple(RateStep(duration_us, rate) for duration_us, rate in read_rate_steps(path))
    count = mean_requests(steps)
    if FEWEST_ARRIVALS <= count <= MOST_ARRIVALS:
        return _lasting(RateProfile(steps), path)
    few = count < FEWEST_ARRIVALS
    limit = f"at least {FEWEST_ARRIVALS}" if few else f"at most {MOST_ARRIVALS}"
    message = f"the profile has {count:.6g} requests on average, but a replay needs {limit}"
    hint = "lengthen the durations" if few else "shorten the durations: the shape stays the same"
    raise TailcError(Finding(Code.BAD_RATES, message, Place(path), hint))


def _lasting(profile: RateProfile, path: str) -> RateProfile:
    if not is_too_long(profile.mean_requests, profile.rate_mrps):
        return profile
    message = f"the profile takes more than {LONGEST_YEARS} years"
    raise TailcError(Finding(Code.BAD_RATES, message, Place(path), "shorten the durations"))
