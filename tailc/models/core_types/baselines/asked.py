"""What the name of a baseline on cores asks for, such as `rc>150ms` or `s2f-50%`."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tailc.errors import Code, Finding, TailcError, did_you_mean
from tailc.forms.controller import PPM, Controller
from tailc.models.core_types.baselines.same_cores import has_a_type_each, is_in_place
from tailc.models.subject import Subject
from tailc.units import QuantityError, parse_ppm, parse_us, shorten


class Shape(enum.Enum):
    """The baselines there are, and how people write them."""

    TL = "tl"
    EE = "ee"
    OBLIVIOUS = "oblivious"
    RC = "rc"
    S2F = "s2f"
    REACTIVE = "reactive"
    EXHAUSTIVE = "exhaustive"
    PEGASUS = "pegasus"
    OCTOPUS = "octopus"
    ONE_GAIN = "one-gain"


_GRAMMAR = {
    Shape.RC: re.compile(r"rc(>(?P<time>[^<>+-]+))?"),
    Shape.S2F: re.compile(r"s2f(-(?P<share>[^<>+-]+))?"),
    Shape.REACTIVE: re.compile(r"reactive(?P<start>\+start)?"),
    Shape.EXHAUSTIVE: re.compile(r"exhaustive(-(?P<time>[^<>+-]+))?"),
}


@dataclass(frozen=True)
class Asked:
    """A baseline; `time_us` is a threshold or a step, None: to be chosen.

    share_ppm: of the policy's ages. from_start: what comes before it settles is measured too.
    """

    shape: Shape
    time_us: int | None = None
    share_ppm: int = PPM
    from_start: bool = False


def asked(name: str, policy: Subject) -> Asked:
    """What `name` asks for on this policy's server; the case of letters does not matter.

    Raises TailcError (USAGE) for no baseline's name, and for what this server cannot do.
    """
    for shape in Shape:
        grammar = _GRAMMAR.get(shape) or re.compile(re.escape(shape.value))
        found = grammar.fullmatch(name.strip().lower())
        if found:
            return _checked(name, _asked(name, shape, found.groupdict()), policy)
    message = f"there is no baseline `{shorten(name)}` where rungs are cores"
    raise TailcError(Finding(Code.USAGE, message, help=did_you_mean(name.lower(), known(policy))))


def known(policy: Subject) -> list[str]:
    """Names that fit the policy."""
    ladder = policy.ladders[0]
    names = ["tl", "ee", "rc", "rc>150ms", "s2f", "s2f-50%", "reactive", "reactive+start"]
    names += ["exhaustive", "exhaustive-5ms"]
    names += ["oblivious", "octopus"] * (has_a_type_each(ladder) and len(ladder.rungs) > 1)
    names += ["pegasus"] * is_in_place(ladder)
    names += ["one-gain"] * isinstance(policy.steering, Controller)
    return names


def _asked(name: str, shape: Shape, given: Mapping[str, str | None]) -> Asked:
    time, share = given.get("time"), given.get("share")
    return Asked(
        shape,
        time_us=_time_us(name, time) if time else None,
        share_ppm=_share_ppm(name, share) if share else PPM,
        from_start=given.get("start") is not None,
    )


def _time_us(name: str, text: str) -> int:
    try:
        time_us = parse_us(text)
    except QuantityError as error:
        raise _unfit(name, error.message, error.help) from None
    if not time_us:
        raise _unfit(name, f"`{text}` is no time at all")
    return time_us


def _share_ppm(name: str, text: str) -> int:
    try:
        share_ppm = parse_ppm(text)
    except QuantityError as error:
        raise _unfit(name, error.message, error.help) from None
    if not 0 <= share_ppm <= PPM:
        raise _unfit(name, "ages are scaled by 0 % to 100 %")
    return share_ppm


def _checked(name: str, wanted: Asked, policy: Subject) -> Asked:
    ladder = policy.ladders[0]
    match wanted.shape:
        case Shape.ONE_GAIN if not isinstance(policy.steering, Controller):
            raise _unfit(name, "the policy has no controller")
        case Shape.PEGASUS if not is_in_place(ladder):
            raise _unfit(name, "it sets the level of all cores, and these have none")
        case Shape.OBLIVIOUS | Shape.OCTOPUS if not has_a_type_each(ladder):
            raise _unfit(name, "it chooses among types of core, and there are levels here")
        case _:
            return wanted


def _unfit(name: str, why: str, hint: str | None = None) -> TailcError:
    return TailcError(Finding(Code.USAGE, f"baseline `{shorten(name)}`: {why}", help=hint))
