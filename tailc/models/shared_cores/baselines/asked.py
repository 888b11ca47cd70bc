"""What the name of a baseline asks for, such as `fix-3<30` or `every-100ms`."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tailc.errors import Code, Finding, TailcError, did_you_mean
from tailc.forms.ladder.table import Ladder
from tailc.models.shared_cores.baselines.same_server import boosting
from tailc.units import QuantityError, format_us, parse_us, shorten


class Shape(enum.Enum):
    """The baselines there are, and how people write them."""

    SEQ = "seq"
    FIX = "fix-N"
    EVERY = "every-D"
    ADAPTIVE = "adaptive"
    RC = "rc-N"
    NO_BOOST = "no-boost"


_GRAMMAR = {
    Shape.SEQ: re.compile(r"seq"),
    Shape.FIX: re.compile(
        r"fix-(?P<number>[0-9]{1,4})(<(?P<below>[0-9]{1,9}))?(?P<boosts>\+boost)?"
    ),
    Shape.EVERY: re.compile(r"every-(?P<time>[^<>+-]+)"),
    Shape.ADAPTIVE: re.compile(r"adaptive"),
    Shape.RC: re.compile(r"rc-(?P<number>[0-9]{1,4})(>(?P<time>[^<>+-]+))?"),
    Shape.NO_BOOST: re.compile(r"no-boost"),
}
# So many rungs are listed with a name of their own where a name is not understood.
_LISTED_RUNGS = 8


@dataclass(frozen=True)
class Asked:
    """A baseline: `rung` from 0; `time_us` is an interval or a threshold, None: to be searched."""

    shape: Shape
    rung: int = 0
    below: int | None = None
    boosts: bool = False
    time_us: int | None = None

    @property
    def title(self) -> str:
        """How reports call it."""
        match self.shape:
            case Shape.FIX:
                below = "" if self.below is None else f" below {self.below}"
                return f"FIX-{self.rung + 1}{below}" + " + boost" * self.boosts
            case Shape.EVERY:
                assert self.time_us is not None
                return f"every {format_us(self.time_us)}"
            case Shape.RC:
                return f"RC-{self.rung + 1}"
            case Shape.ADAPTIVE:
                return "Adaptive (approximation)"
            case Shape.NO_BOOST:
                return "policy without boosting"
            case Shape.SEQ:
                return "SEQ"


def asked(name: str, ladder: Ladder) -> Asked:
    """What `name` asks for on this ladder's server; the case of letters does not matter.

    Raises TailcError (USAGE) for no baseline's name, and for what this server cannot do.
    """
    for shape, pattern in _GRAMMAR.items():
        if found := pattern.fullmatch(name.strip().lower()):
            return _checked(name, _asked(name, shape, found.groupdict()), ladder)
    message = f"there is no baseline `{shorten(name)}`"
    raise TailcError(Finding(Code.USAGE, message, help=did_you_mean(name.lower(), _known(ladder))))


def _known(ladder: Ladder) -> list[str]:
    """Names that fit the ladder, one at least of each shape."""
    last = len(ladder.rungs)
    fixed = [f"fix-{number}" for number in range(2, min(last, _LISTED_RUNGS) + 1)]
    variants = [f"fix-{last}<30", f"fix-{last}+boost", "every-100ms", "adaptive"]
    clairvoyant = [f"rc-{last}", f"rc-{last}>225ms"]
    return ["seq", *fixed, *variants, *clairvoyant, *["no-boost"] * (ladder.boost is not None)]


def _asked(name: str, shape: Shape, given: Mapping[str, str | None]) -> Asked:
    number, below, time = (given.get(part) for part in ("number", "below", "time"))
    return Asked(
        shape,
        rung=int(number) - 1 if number else 0,
        below=int(below) if below else None,
        boosts=given.get("boosts") is not None,
        time_us=_time_us(name, time) if time else None,
    )


def _time_us(name: str, text: str) -> int:
    try:
        time_us = parse_us(text)
    except QuantityError as error:
        raise _unfit(name, error.message, error.help) from None
    if not time_us:
        raise _unfit(name, f"`{text}` is no time at all")
    return time_us


def _checked(name: str, wanted: Asked, ladder: Ladder) -> Asked:
    rungs = len(ladder.rungs)
    if not 0 <= wanted.rung < rungs:
        raise _unfit(name, f"the policy has {rungs} rungs", f"N is from 1 to {rungs}")
    if wanted.below == 0:
        raise _unfit(name, "no load is below 0", "name a number of requests from 1")
    if wanted.boosts and boosting(ladder, wanted.rung) is None:
        raise _unfit(name, "the server has no stated capacity to boost within")
    if wanted.shape is Shape.NO_BOOST and ladder.boost is None:
        raise _unfit(name, "the policy does not boost")
    return wanted


def _unfit(name: str, why: str, hint: str | None = None) -> TailcError:
    return TailcError(Finding(Code.USAGE, f"baseline `{shorten(name)}`: {why}", help=hint))
