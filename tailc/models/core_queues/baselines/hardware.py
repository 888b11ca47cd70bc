"""Clocks that hardware sets every 100 us, blind to requests (Bartolini, 2015, section 3.9.2).

HW-T makes all instructions a second as many as the chip's limit allows, HW-TPW those by watt of the
chip. How levels are chosen stands in `tailc.models.core_queues.hardware`.
"""

from __future__ import annotations

from dataclasses import replace

from tailc.models.core_queues.clocks import Aim, Clocks, Hardware
from tailc.models.subject import Subject


def hw_t(clocks: Clocks) -> Subject:
    """The chip's clocks of most work."""
    return _blind("HW-T", clocks, Aim.WORK)


def hw_tpw(clocks: Clocks) -> Subject:
    """The chip's clocks of most work by joule."""
    return _blind("HW-TPW", clocks, Aim.WORK_PER_JOULE)


def _blind(name: str, clocks: Clocks, aim: Aim) -> Subject:
    return Subject(name, clocks=replace(clocks, rule=Hardware(aim)))
