"""Identification over longer responses; the plants are worked out by hand."""

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.pipeline.loops import operating_point
from tailc.pipeline.plants import Operation
from tests.tailc.pipeline.cores import MS, PPM


def slow(pole: float, asked: list[int]):
    """Measures a lag of 100 ms by output, three epochs a window, and notes how long it was."""

    def measure(windows: int) -> Operation:
        asked.append(windows)
        epochs = np.arange(1, 3 * windows + 1)
        response_us = 100 * MS * (1 - pole**epochs) / 4
        return Operation(30_000, PPM // 2, 150 * MS, PPM // 4, tuple(response_us.tolist()))

    return measure


def test_a_response_that_settles_at_once_is_measured_once():
    asked: list[int] = []
    _, found = operating_point(slow(0.5, asked))
    assert asked == [4]
    assert found.plant.gain == pytest.approx(100, rel=1e-3)
    assert abs(found.plant.poles) == pytest.approx([0.5], abs=1e-3)


def test_a_slow_response_is_measured_for_longer():
    asked: list[int] = []
    # After 12 epochs it is at 72 %, after 24 at 92 %.
    operation, found = operating_point(slow(0.9, asked))
    assert asked == [4, 8]
    assert len(operation.response_us) == 24
    assert found.plant.gain == pytest.approx(100, rel=1e-3)


def test_one_that_never_settles_is_refused():
    with pytest.raises(TailcError) as refused:
        operating_point(slow(0.99, []))
    (finding,) = refused.value.findings
    assert finding.code is Code.NO_TUNING
    assert "30/s" in finding.message
    assert "not settled" in finding.message
