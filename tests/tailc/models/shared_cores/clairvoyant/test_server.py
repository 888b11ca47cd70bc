"""What requests share, read from a ladder, and the most that a request makes of it."""

import numpy as np
import pytest

from tailc.errors import TailcError
from tailc.models.shared_cores.clairvoyant import shared_server
from tailc.models.shared_cores.clairvoyant.server import hull_of
from tests.tailc.models.shared_cores.clairvoyant.requests import PPM, SPEEDS, server
from tests.tailc.models.shared_cores.servers import at_once, ladder


def corners(cores: float, *curves: tuple[float, ...]):
    hull = hull_of(server(cores, len(curves[0])), np.array(curves))
    return [
        list(zip(*pair, strict=True))
        for pair in zip(hull.cores.tolist(), hull.speed.tolist(), strict=True)
    ]


def test_each_rung_that_pays_is_a_corner():
    assert corners(15, SPEEDS) == [[(0, 0), (1, 1), (2, 1.9), (3, 2.65), (4, 3.2)]]


def test_a_rung_that_does_less_than_its_neighbours_in_turns_is_none():
    # Half the time on 1 thread and half on 3 is 2 threads at 1.7.
    assert corners(15, (1.0, 1.6, 2.4)) == [[(0, 0), (1, 1), (3, 2.4)]]


def test_a_rung_that_is_no_faster_than_one_before_is_none():
    assert corners(15, (1.0, 1.9, 1.9, 1.5)) == [[(0, 0), (1, 1), (2, 1.9)]]


def test_a_request_takes_no_more_than_all_cores():
    assert corners(1.5, SPEEDS) == [[(0, 0), (1, 1), (1.5, pytest.approx(1.45))]]


def test_a_curve_with_fewer_corners_repeats_its_last():
    assert corners(15, (1.0, 1.9), (1.0, 1.0)) == [
        [(0, 0), (1, 1), (2, 1.9)],
        [(0, 0), (1, 1), (1, 1)],
    ]


def test_a_ladder_tells_its_cores_and_threads():
    shared = shared_server(ladder(at_once((0, 0)), cores=6, rungs=3))
    assert shared.cores_ppm == 6 * PPM
    assert shared.threads_ppm == (PPM, 2 * PPM, 3 * PPM)


def test_a_server_without_an_end_is_refused():
    with pytest.raises(TailcError, match="share cores of one type"):
        shared_server(ladder(at_once((0, 0))))
