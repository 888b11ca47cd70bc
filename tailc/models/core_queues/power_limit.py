"""Enforce a chip's power limit by lowering core levels, compiled; see `chip` for the order."""

from __future__ import annotations

from tailc.models.core_queues.chip import NOTHING, LimitStep
from tailc.models.kernel_decorators import once

_UNCHANGED, _BATCH_SLOWED, _BATCH_STOPPED, _REQUESTS_SLOWED = (int(each) for each in LimitStep)


@once  # pragma: no cover - compiled
def within_limit(cores, table):
    """Set all cores to their requested frequencies, or to lower ones within the chip's power limit.

    Returns the step that this needed (`LimitStep`): none, batch work slowed, batch work stopped, or
    requests slowed.
    """
    over = -table.chip.limit_mw
    over += _grant_requests(cores, table)
    if over <= 0:
        return _UNCHANGED
    over = _slow_batch(cores, table.chip, over)
    if over <= 0:
        return _BATCH_SLOWED
    over = _stop_batch(cores, table, over)
    if over <= 0:
        return _BATCH_STOPPED
    _slow_requests(cores, table.power_mw, over)
    return _REQUESTS_SLOWED


@once  # pragma: no cover - compiled
def _grant_requests(cores, table):
    """Give every core the level that it requests; return the power of the chip [mW]."""
    power_mw = table.chip.shared_mw
    for number in range(len(cores)):
        core = cores[number]
        core.granted = core.requested
        if core.held > 0:
            power_mw += table.power_mw[core.requested]
        elif core.requested != NOTHING:
            power_mw += table.chip.batch_mw[number, core.requested]
        else:
            power_mw += table.idle_mw
    return power_mw


@once  # pragma: no cover - compiled
def _slow_batch(cores, chip, over):
    """Slow batch work; return by how much the chip still exceeds its limit [mW]."""
    for number in chip.order:
        core = cores[number]
        if core.held == 0:
            while over > 0 and core.granted > 0:
                over -= chip.batch_mw[number, core.granted]
                core.granted -= 1
                over += chip.batch_mw[number, core.granted]
    return over


@once  # pragma: no cover - compiled
def _stop_batch(cores, table, over):
    """Stop batch work; return by how much the chip still exceeds its limit [mW]."""
    for number in table.chip.order:
        core = cores[number]
        if core.held == 0 and over > 0:
            over += table.idle_mw - table.chip.batch_mw[number, core.granted]
            core.granted = NOTHING
    return over


@once  # pragma: no cover - compiled
def _slow_requests(cores, power_mw, over):
    """Slow requests until the chip is within its limit or all are at the lowest level."""
    was_slowed = True
    while over > 0 and was_slowed:
        was_slowed = False
        for number in range(len(cores)):
            core = cores[number]
            if core.held > 0 and core.granted > 0:
                over -= power_mw[core.granted]
                core.granted -= 1
                over += power_mw[core.granted]
                was_slowed = True
