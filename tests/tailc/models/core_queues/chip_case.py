"""Helpers of test_chip.py that other tests use too."""

from dataclasses import replace

from tailc.models.core_queues.chip import BatchCore, ProgramCounters


def batch(memory: float = 0.0, **changed) -> BatchCore:
    """Batch work at 3 GHz, of 0.5, 2 and 5 W."""
    one = BatchCore(ProgramCounters(round(memory * 1e6)), (500, 2_000, 5_000), 2)
    return replace(one, **changed)
