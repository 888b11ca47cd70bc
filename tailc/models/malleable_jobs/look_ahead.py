"""How far ahead a reactive allocator checks that jobs keep their promised run time."""

from __future__ import annotations

from tailc.models.baseline_syntax import NameValues, Placeholder
from tailc.units import QuantityError, QuantityFault, format_us

LOOK_AHEAD_S = 900
_US_PER_S = 1_000_000


def look_ahead_s(values: NameValues) -> int:
    """The time of a baseline's name in whole seconds, else `LOOK_AHEAD_S`.

    Raises QuantityError for a time that is not whole seconds.
    """
    time_us = values.get(Placeholder.TIME)
    if time_us is None:
        return LOOK_AHEAD_S
    time_s, rest = divmod(time_us, _US_PER_S)
    if rest:
        message = f"`{format_us(time_us)}` is not a whole number of seconds"
        raise QuantityError(QuantityFault.OUT_OF_RANGE, message, "for example `30min`")
    return time_s
