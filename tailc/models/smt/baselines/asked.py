"""What the name of a baseline on lanes asks for, such as `borrow-idle` or `fixed-47ms`."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from tailc.errors import Code, Finding, TailcError, did_you_mean
from tailc.models.smt.baselines.no_batch import NO_BATCH
from tailc.problems.borrowing import Borrowing
from tailc.units import QuantityError, parse_us, shorten


class Extreme(enum.Enum):
    """Lanes that nobody manages: without batch work, or with it all the time."""

    NEVER = NO_BATCH
    ALWAYS = "always-shared"


BUDGETED = (Borrowing.FIXED, Borrowing.REFRESH, Borrowing.DYNAMIC, Borrowing.SAFE)
NAMES = (
    Extreme.NEVER.value,
    Borrowing.IDLE.value,
    *(borrowing.value for borrowing in BUDGETED),
    Extreme.ALWAYS.value,
)
_GRAMMAR = re.compile(rf"(?P<who>{'|'.join(NAMES)})(-(?P<time>[0-9].*))?")


@dataclass(frozen=True)
class Asked:
    """A baseline; `budget_us` None: what is left by requests alone under the SLO."""

    who: Borrowing | Extreme
    budget_us: int | None = None


def asked(name: str) -> Asked:
    """What `name` asks for; the case of letters does not matter.

    Raises TailcError (USAGE) for no baseline's name, and for a time that is none.
    """
    found = _GRAMMAR.fullmatch(name.strip().lower())
    if found is None:
        message = f"there is no baseline `{shorten(name)}` where rungs are lanes of a core"
        hint = did_you_mean(name.lower(), [*NAMES, "fixed-47ms"])
        raise TailcError(Finding(Code.USAGE, message, help=hint))
    extremes = {extreme.value: extreme for extreme in Extreme}
    who = extremes.get(found["who"]) or Borrowing(found["who"])
    if found["time"] is None:
        return Asked(who)
    if who not in BUDGETED:
        raise _unfit(name, "it has no budget", f"leave the time out: `{who.value}`")
    try:
        return Asked(who, parse_us(found["time"]))
    except QuantityError as error:
        raise _unfit(name, error.message, error.help) from None


def _unfit(name: str, why: str, hint: str | None = None) -> TailcError:
    return TailcError(Finding(Code.USAGE, f"baseline `{shorten(name)}`: {why}", help=hint))
