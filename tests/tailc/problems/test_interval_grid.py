import numpy as np
import pytest

from tailc.errors import TailcError
from tailc.problems.interval_grid import IntervalGrid, interval_grid, refuse_endless
from tailc.traces.profile import DemandProfile, Measure


def profile(demand_ms, degrees=3):
    requests = len(demand_ms)
    return DemandProfile(
        np.array(demand_ms, dtype=float),
        np.ones(requests, dtype=np.int64),
        np.arange(1.0, degrees + 1)[None, :],
        np.zeros(requests, dtype=np.int32),
        (),
        Measure.DEMAND_BUSY,
        "one thread",
    )


def test_the_longest_stay_is_the_longest_demand_rounded_up_to_the_step():
    assert interval_grid(profile([12, 101]), 990_000, 5_000, None) == IntervalGrid(5_000, 105_000)


def test_a_longest_stay_that_the_user_gave_is_never_exceeded():
    assert interval_grid(profile([12, 101]), 990_000, None, 33_000) == IntervalGrid(1_000, 33_000)
    assert interval_grid(profile([12, 5_000]), 990_000, None, 100) == IntervalGrid(100, 100)


def test_the_default_step_is_a_two_hundredth_of_the_quantile_s_demand():
    # 1,000 / 200 = 5 ms.
    assert interval_grid(profile([10, 1_000]), 990_000, None, None).step_us == 5_000


def test_the_default_step_grows_until_the_grid_is_affordable():
    # p50 is 1 ms, so 5 us would be fine enough; 4 stays of up to 20 ms would be 10^13 schedules.
    grid = interval_grid(profile([1, 1, 20], degrees=5), 500_000, None, None)
    assert grid.step_us > 5
    assert str(grid.step_us)[0] in "125"


def test_a_request_far_beyond_the_percentile_sets_no_grid():
    # p99 is 8 ms, a two hundredth of it 40 us; the longest request counts as 160 ms.
    grid = interval_grid(profile([*[8] * 999, 3_600_000]), 990_000, None, None)
    assert grid == IntervalGrid(50, 160_000)


@pytest.mark.parametrize(("step_us", "longest_us"), [(0, 5), (5, 4), (5, 12)])
def test_a_broken_grid_cannot_be_made(step_us, longest_us):
    with pytest.raises(ValueError, match=r"grid|whole number"):
        IntervalGrid(step_us, longest_us)


@pytest.mark.parametrize(
    ("steps", "rungs", "is_refused"),
    [(1_000_000, 4, True), (100_000, 4, True), (1_000_000, 3, True), (5_000, 4, False)],
)
def test_a_grid_on_which_no_search_ends_is_refused(steps, rungs, is_refused):
    grid = IntervalGrid(1, steps)
    if not is_refused:
        return refuse_endless(grid, rungs)
    with pytest.raises(TailcError, match="makes a grid of") as caught:
        refuse_endless(grid, rungs)
    assert caught.value.findings[0].about == ("search", "step")
    return None
