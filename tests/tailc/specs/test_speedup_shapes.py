"""Shapes of speed-ups: points that can be worked out by hand, and what every shape keeps."""

from fractions import Fraction
from itertools import pairwise

import pytest

from tailc.specs.speedup_shapes import SPEEDUP_SHAPES, SpeedupShape


@pytest.mark.parametrize("name", list(SPEEDUP_SHAPES))
def test_one_server_with_two_vms_is_the_unit(name):
    assert SPEEDUP_SHAPES[name].speedup_ppt(2, [1]) == [1_000]


@pytest.mark.parametrize("name", list(SPEEDUP_SHAPES))
@pytest.mark.parametrize("vms", [2, 4, 8, 16, 32, 64])
def test_more_servers_are_never_slower_and_cost_efficiency_while_vms_share(name, vms):
    counts = list(range(1, vms + 1))
    speeds = SPEEDUP_SHAPES[name].speedup_ppt(vms, counts)
    assert speeds == sorted(speeds)
    shared = [(s, n) for s, n in zip(speeds, counts, strict=True) if 2 * n <= vms]
    per_server = [Fraction(s, n) for s, n in shared]
    rounding = 10
    assert all(b <= a + rounding for a, b in pairwise(per_server))


def test_alone_on_its_servers_a_sort_runs_two_thirds_faster():
    # 16 VMs on 8 servers, and on 16: the same 16 cores.
    two, one = SPEEDUP_SHAPES["IS"].speedup_ppt(16, [8, 16])
    assert one / two == pytest.approx(1.66, abs=0.005)


def test_the_nearest_to_linear_comes_first_and_the_sort_last():
    at_sixteen = [shape.speedup_ppt(32, [16])[0] for shape in SPEEDUP_SHAPES.values()]
    assert at_sixteen == sorted(at_sixteen, reverse=True)
    assert at_sixteen[0] > 15_000


def test_downeys_formula_by_hand():
    low = SpeedupShape("low", Fraction(8), Fraction(1), Fraction(0))
    # D(2) = 16 / 8.5 and D(8) = 64 / 11.5, D(16) = A.
    assert low.speedup_ppt(64, [4]) == [round(64 / 11.5 / (16 / 8.5) * 100) * 10]
    assert low.speedup_ppt(64, [8]) == [round(8 / (16 / 8.5) * 100) * 10]
    high = SpeedupShape("high", Fraction(8), Fraction(2), Fraction(0))
    # D(2) = 48 / 26 and D(8) = 192 / 38.
    assert high.speedup_ppt(64, [4]) == [round(192 / 38 / (48 / 26) * 100) * 10]


@pytest.mark.parametrize(("vms", "servers"), [(0, [1]), (2, [0]), (2, [])])
def test_a_job_without_vms_or_servers_is_refused(vms, servers):
    with pytest.raises(ValueError, match="needs a VM"):
        SPEEDUP_SHAPES["EP"].speedup_ppt(vms, servers)
