"""Whether threads help is judged by the longest requests."""

import numpy as np
import pytest

from tests.tailc.lint import seeded

ROWS = 200
DEMAND = np.arange(1, ROWS + 1).astype(float)
IS_LONG = DEMAND > 0.95 * ROWS


def messages(tailc, folder, seed) -> list[str]:
    (folder / seed.name).write_bytes(seed.content)
    ended = tailc("lint-trace", folder / seed.name)
    return [line for line in ended.err.splitlines() if "TC1502" in line]


@pytest.mark.parametrize(
    ("long", "short", "is_flat"),
    [(1.8, 1.0, False), (1.0, 1.8, True), (1.06, 1.0, False), (1.04, 1.0, True), (0.9, 1.5, True)],
)
def test_columns_of_speedups(tailc, tmp_path, long, short, is_flat):
    speedup = np.where(IS_LONG, long, short)
    seed = seeded.demands(DEMAND, speedup_1=np.ones(ROWS), speedup_2=speedup)
    found = messages(tailc, tmp_path, seed)
    assert bool(found) is is_flat
    if found:
        best = max(long, 1.0)
        assert f"the longest 5 % of requests are only {best:.3g} times as fast" in found[0]


@pytest.mark.parametrize(("long", "short", "is_flat"), [(1.8, 1.0, False), (1.0, 1.8, True)])
def test_timings(tailc, tmp_path, long, short, is_flat):
    speedup = np.where(IS_LONG, long, short)
    seed = seeded.csv(
        query=np.repeat(np.arange(ROWS), 2),
        degree=np.tile([1, 2], ROWS),
        duration_ms=np.stack([DEMAND, DEMAND / speedup], axis=1).ravel(),
    )
    assert bool(messages(tailc, tmp_path, seed)) is is_flat


def test_weights_say_which_requests_are_the_longest(tailc, tmp_path):
    weight = np.where(IS_LONG, 1, 1000)
    seed = seeded.demands(
        DEMAND, weight=weight, speedup_1=np.ones(ROWS), speedup_2=np.where(IS_LONG, 1.8, 1.0)
    )
    # The ten long rows are 10 of 190,010 requests.
    assert messages(tailc, tmp_path, seed)


@pytest.mark.parametrize(("speedup", "is_flat"), [(1.02, True), (1.5, False)])
def test_speedups_without_demands_are_judged_together(tailc, tmp_path, speedup, is_flat):
    seed = seeded.csv(speedup_1=np.ones(ROWS), speedup_2=np.full(ROWS, speedup))
    found = messages(tailc, tmp_path, seed)
    assert bool(found) is is_flat
    assert not any("longest" in line for line in found)
