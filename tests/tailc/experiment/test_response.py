"""Tail surfaces and step responses of a server where both can be worked out by hand."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tailc.experiment.response import step_response, tail_surface
from tailc.models.workload import Workload
from tests.tailc.models.core_types.servers import MS, PPM, cores, row

POLICY = cores([20, 20], row((0, 0), (50, 1)))


@pytest.fixture
def workers():
    with ThreadPoolExecutor(2) as pool:
        yield pool


def alike(work_ms: float, requests: int = 10) -> Workload:
    return Workload(
        np.full(requests, round(work_ms * MS)),
        np.ones(requests, np.int64),
        np.zeros(requests, np.int32),
        np.array([[1.0, 2.0]]),
    )


def mixed(requests: int = 500) -> Workload:
    rng = np.random.default_rng(5)
    work_ns = np.rint(rng.lognormal(3.5, 0.8, requests) * MS).astype(np.int64)
    return Workload(
        work_ns, np.ones(requests, np.int64), np.zeros(requests, np.int32), np.array([[1.0, 2.0]])
    )


def test_without_queueing_the_surface_is_the_formula_of_a_lone_request(workers):
    found = tail_surface(
        alike(100), POLICY, [1000, 5000], [0, 500_000, PPM],
        percentile_ppm=990_000, requests=400, repeats=3, seed=1, workers=workers,
    )  # fmt: skip
    # z t ms slow, the rest at twice the speed, at powers 1 and 6
    assert found.tail_us.tolist() == [[50_000, 62_500, 75_000]] * 2
    assert found.mean_us == pytest.approx(found.tail_us)
    assert found.energy.tolist() == [[300, 25 + 37.5 * 6, 50 + 25 * 6]] * 2
    assert found.idle_energy.tolist() == [[0, 0, 0]] * 2
    assert not found.is_overloaded.any()


def test_overload_is_told(workers):
    found = tail_surface(
        alike(1000), cores([1, 1], row((0, 0))), [1000, 100_000], [PPM],
        percentile_ppm=990_000, requests=6000, repeats=1, seed=1, workers=workers,
    )  # fmt: skip
    assert found.is_overloaded.tolist() == [[False], [True]]


@pytest.mark.parametrize(
    ("percentile_ppm", "changes_after"),
    # of four epochs of ten in the window, the 20th, the 31st and the 40th smallest; a fall shows
    # when so many are new
    [(500_000, 2), (760_000, 4), (250_000, 1)],
)
def test_a_step_shows_when_the_window_has_enough_of_what_is_new(
    workers, percentile_ppm, changes_after
):
    found = step_response(
        alike(100), POLICY, 1000, PPM, 0,
        epochs=6, epoch_requests=10, window_requests=40, percentile_ppm=percentile_ppm,
        repeats=3, seed=1, workers=workers,
    )  # fmt: skip
    # those in the system at the step keep what they had: one in ten at most here
    assert found.shape == (7,)
    assert found[0] == 75_000
    assert found[changes_after - 1] == 75_000
    assert found[changes_after + 1 :].tolist() == [50_000] * len(found[changes_after + 1 :])


def test_no_step_shows_none(workers):
    found = step_response(
        mixed(), POLICY, 5000, PPM // 2, PPM // 2,
        epochs=5, epoch_requests=50, window_requests=200, percentile_ppm=990_000,
        repeats=4, seed=1, workers=workers,
    )  # fmt: skip
    assert (found == found[0]).all()


def test_a_step_ends_where_the_surface_says(workers):
    repeats = {"percentile_ppm": 900_000, "seed": 1, "workers": workers}
    found = step_response(
        mixed(), POLICY, 50_000, PPM, PPM // 4,
        epochs=12, epoch_requests=500, window_requests=2000, repeats=40, **repeats,
    )  # fmt: skip
    surface = tail_surface(
        mixed(), POLICY, [50_000], [PPM // 4, PPM], requests=20_000, repeats=8, **repeats
    )
    low, high = surface.tail_us[0]
    assert found[0] == pytest.approx(high, rel=0.01)
    assert found[-6:] == pytest.approx(np.full(6, low), rel=0.01)


def test_answers_do_not_depend_on_the_number_of_workers(workers):
    def answer(pool) -> np.ndarray:
        return step_response(
            mixed(), POLICY, 50_000, PPM, 0,
            epochs=5, epoch_requests=50, window_requests=200, percentile_ppm=990_000,
            repeats=5, seed=9, workers=pool,
        )  # fmt: skip

    with ThreadPoolExecutor(1) as one:
        assert (answer(one) == answer(workers)).all()
