"""Hints of the bench are as right as is stated, and tables with hints go by them alone."""

from dataclasses import replace

import numpy as np
import pytest

from bench.hints import HintedFamily, Predictor, by_hint, hinted
from tailc.forms.ladder.table import Climb
from tailc.tuning.shared_cores_space import shared_cores_space
from tests.tailc.tuning.case import CORES, MS, exponential, ladder

LOAD = exponential(1_000, 100.0)
IS_LONG = LOAD.work_ns > np.quantile(LOAD.work_ns, 0.9)


def weights(right):
    """Of short and long requests by their hints, (hints, records)."""
    return hinted(LOAD, Predictor(0.1, right)).weight.reshape(2, -1)


@pytest.mark.parametrize("right", [1.0, 0.9, 0.75])
def test_precision_and_recall_are_as_stated(right):
    _, long = weights(right)
    hit = long[IS_LONG].sum()
    assert hit / weights(right)[:, IS_LONG].sum() == pytest.approx(right)
    assert hit / long.sum() == pytest.approx(right, rel=2e-3)


def test_blind_hints_tell_nothing_of_the_size():
    short, long = weights(0.1)
    assert (long == 1_000).all()
    assert (short == 9_000).all()


def test_hints_change_no_demand():
    """Each request is there ten thousand times."""
    for right in (1.0, 0.75, 0.1):
        assert weights(right).sum(axis=0).tolist() == [10_000] * 1_000


def test_a_request_climbs_the_ladder_of_its_hint():
    load = hinted(LOAD, Predictor(0.1, 1.0))
    told = by_hint(load, (ladder((50 * MS, 60 * MS)), ladder((10 * MS, 20 * MS))))
    assert told.ladder_of is not None
    met = load.weight > 0
    assert told.ladder_of[met].sum() == 100
    assert (told.ladder_of[met] == (load.work_ns[met] > np.quantile(LOAD.work_ns, 0.9))).all()


def family():
    table = ladder(*[(50 * MS, 80 * MS)] * 10)
    each = shared_cores_space(table, 200 * MS, CORES)
    return HintedFamily(each, each)


def test_searches_begin_where_hints_make_no_difference():
    for start in family().starts():
        short, long = family().table(start)
        assert short == long


def test_ages_of_the_long_are_those_of_the_short_and_some_more():
    at_knots, more = np.full((2, 2), 0.5), np.array([[-0.25, -0.25], [0.1, 0.1]])
    each = family().each
    point = np.concatenate([each.point(at_knots, 2.5, 1.0), each.point(more, 0.0, 3.0)])
    short, long = family().table(point)
    assert short.rows[0].climbs == (Climb(0, 0), Climb(100 * MS, 2))
    assert long.rows[0].climbs == (Climb(0, 0), Climb(50 * MS, 1), Climb(120 * MS, 2))
    assert long.boost == short.boost


def test_a_finer_family_has_the_same_tables():
    coarse, fine = family(), family().finer()
    each = coarse.each
    ages, more = np.array([[0.1, 0.3], [0.2, 0.6]]), np.array([[-0.1, 0.0], [-0.1, 0.2]])
    point = np.concatenate([each.point(ages, 2.5, 1.0), each.point(more, -0.5, 0.0)])
    refined = coarse.refine(point, fine)
    assert fine.each.has_delays
    assert fine.table(refined) == coarse.table(point)
    assert len(fine.spread(0.1, 0.1, 1.0)) == len(refined)


def test_a_predictor_may_hint_many():
    many = replace(Predictor(0.1, 0.9), share=0.5)
    assert many.chance_long(LOAD.work_ns).mean() == pytest.approx(0.5)
