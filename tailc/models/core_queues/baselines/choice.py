"""Baselines of a tail table by name, and those that a policy is compared with by default."""

from __future__ import annotations

import enum

from tailc.errors import Code, Finding, TailcError, did_you_mean
from tailc.models.baselines.search import Search
from tailc.models.core_queues.baselines.dynamic_oracle import dynamic_oracle
from tailc.models.core_queues.baselines.fixed import fixed
from tailc.models.core_queues.baselines.hardware import hw_t, hw_tpw
from tailc.models.core_queues.baselines.open_loop import open_loop
from tailc.models.core_queues.baselines.static_oracle import static_oracle
from tailc.models.subject import Subject
from tailc.units import shorten


class Shape(enum.Enum):
    """The baselines there are, and how people write them."""

    FIXED = "fixed"
    STATIC_ORACLE = "static-oracle"
    DYNAMIC_ORACLE = "dynamic-oracle"
    OPEN_LOOP = "open-loop"
    HW_T = "hw-t"
    HW_TPW = "hw-tpw"


def frequency_baseline(name: str, policy: Subject, search: Search) -> Subject:
    """The baseline of that name on the cores of the policy.

    Raises TailcError (USAGE) for a name that does not fit.
    """
    assert policy.clocks is not None
    match asked(name, policy):
        case Shape.FIXED:
            return fixed(policy.clocks)
        case Shape.STATIC_ORACLE:
            return static_oracle(policy.clocks, search)
        case Shape.DYNAMIC_ORACLE:
            return dynamic_oracle(policy.clocks, search)
        case Shape.OPEN_LOOP:
            return open_loop(policy)
        case Shape.HW_T:
            return hw_t(policy.clocks)
        case Shape.HW_TPW:
            return hw_tpw(policy.clocks)


def asked(name: str, policy: Subject) -> Shape:
    """What `name` asks for; the case of letters does not matter.

    Raises TailcError (USAGE) for no baseline's name, and for what this policy has not.
    """
    wanted, known = name.strip().lower(), frequency_default_names(policy)
    if wanted in known:
        return Shape(wanted)
    if wanted in _MISSING:
        message = f"baseline `{shorten(name)}`: {_MISSING[wanted]}"
        raise TailcError(Finding(Code.USAGE, message, help=did_you_mean(wanted, known)))
    message = f"there is no baseline `{shorten(name)}` where cores have a clock each"
    raise TailcError(Finding(Code.USAGE, message, help=did_you_mean(wanted, known)))


_NO_CHIP = "the policy does not say what its cores share, and what else they run"
_MISSING = {
    Shape.OPEN_LOOP.value: "the policy has no controller",
    Shape.DYNAMIC_ORACLE.value: "it knows of one core at a time, and these share a limit of power",
    Shape.HW_T.value: _NO_CHIP,
    Shape.HW_TPW.value: _NO_CHIP,
}


def frequency_default_names(policy: Subject) -> tuple[str, ...]:
    """One frequency, the best one, perfect knowledge, and the policy without its controller.

    On a chip what its hardware would do, and nobody who knows it all.
    """
    assert policy.clocks is not None
    is_chip = policy.clocks.chip is not None
    fits = {
        Shape.DYNAMIC_ORACLE: not is_chip,
        Shape.OPEN_LOOP: policy.steering is not None,
        Shape.HW_T: is_chip,
        Shape.HW_TPW: is_chip,
    }
    return tuple(shape.value for shape in Shape if fits.get(shape, True))
