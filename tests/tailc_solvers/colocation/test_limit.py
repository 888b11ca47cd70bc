"""A chip within its limit: the order in which cores are slowed, by hand."""

import pytest
from tailc_solvers.colocation.limit import BusyCore, LimitOutcome, within_limit

# Batch at 8 W, memory-bound batch at 8 W, requests twice at 10 W: 36 W, and 4 W beside them.
POWER = (2.0, 4.0, 8.0)
CORES = (
    BusyCore(True, 2, POWER, memory=0.1),
    BusyCore(True, 2, POWER, memory=0.6),
    BusyCore(False, 2, (3.0, 6.0, 10.0)),
    BusyCore(False, 1, (3.0, 6.0, 10.0)),
)


def levels(limit_w):
    found = within_limit(CORES, limit_w, idle_core_w=0.5, shared_w=4.0)
    return found.status, [core.level for core in found.cores], found.power_w


@pytest.mark.parametrize(
    ("limit_w", "status", "wanted", "power_w"),
    [
        (40.0, LimitOutcome.UNCHANGED, [2, 2, 2, 1], 36.0),
        (35.0, LimitOutcome.BATCH_SLOWED, [2, 1, 2, 1], 32.0),
        (31.0, LimitOutcome.BATCH_SLOWED, [2, 0, 2, 1], 30.0),
        (29.0, LimitOutcome.BATCH_SLOWED, [1, 0, 2, 1], 26.0),
        (25.0, LimitOutcome.BATCH_SLOWED, [0, 0, 2, 1], 24.0),
        (23.0, LimitOutcome.BATCH_STOPPED, [0, None, 2, 1], 22.5),
        (22.0, LimitOutcome.BATCH_STOPPED, [None, None, 2, 1], 21.0),
        (20.0, LimitOutcome.REQUESTS_SLOWED, [None, None, 1, 0], 14.0),
        (13.0, LimitOutcome.REQUESTS_SLOWED, [None, None, 0, 0], 11.0),
        (8.0, LimitOutcome.BELOW_LEAST, [None, None, 0, 0], 11.0),
        # Four idle cores and what is beside them draw 6 W.
        (5.9, LimitOutcome.BELOW_IDLE, [None, None, 0, 0], 11.0),
    ],
)
def test_batch_is_slowed_then_stopped_then_requests_are_slowed(limit_w, status, wanted, power_w):
    assert levels(limit_w) == (status, wanted, pytest.approx(power_w))


def test_a_lower_limit_never_takes_more_power():
    powers = [levels(limit)[2] for limit in range(40, 4, -1)]
    assert powers == sorted(powers, reverse=True)


def test_cores_that_run_nothing_stay_as_they_are():
    idle = (BusyCore(True, None, POWER), BusyCore(False, None, POWER))
    found = within_limit(idle, 3.0, idle_core_w=1.0)
    assert (found.status, found.cores, found.power_w) == (LimitOutcome.UNCHANGED, idle, 2.0)


def test_power_that_falls_with_level_is_refused():
    with pytest.raises(ValueError, match="must not fall"):
        BusyCore(True, 0, (2.0, 1.0))
    with pytest.raises(ValueError, match="entry of power_w"):
        BusyCore(True, 3, POWER)
