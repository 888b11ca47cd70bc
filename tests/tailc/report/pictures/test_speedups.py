"""Speed-ups on a page: what was measured, what the policy takes, and what is between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tailc.report.pictures.speedups import speedup_figures
from tailc.traces.profile import DemandProfile, Measure
from tests.tailc.models.shared_cores.servers import at_once, ladder
from tests.tailc.report.pictures.drawings import line_points

SAMPLE = "the held-out requests"


def profile_of(demand_ms, *curves) -> DemandProfile:
    count = len(demand_ms)
    return DemandProfile(
        np.array(demand_ms, float),
        np.ones(count, np.int64),
        np.array(curves, float),
        np.arange(count, dtype=np.int32) % len(curves),
        (),
        Measure.DEMAND_BUSY,
        "core",
    )


def ladder_of(*speeds_ppm, names=None):
    made = ladder(at_once((0, 0)), rungs=len(speeds_ppm))
    rungs = [replace(rung, speed_ppm=ppm)
             for rung, ppm in zip(made.rungs, speeds_ppm, strict=True)]  # fmt: skip
    if names is None:
        return replace(made, rungs=tuple(rungs))
    named = tuple(replace(rung, name=name) for rung, name in zip(rungs, names, strict=True))
    units = tuple(replace(unit, name="cores") for unit in made.cost_units)
    return replace(made, rungs=named, cost_units=units)


# 40 ms of work in 5 + 20 ms at two threads, so 1.6 in the mean.
UNEVEN = profile_of([10, 30], (1, 2), (1, 1.5))


def rows_of(figure, name):
    return [row for row in figure.numbers[0].rows if row[0] == name]


def test_the_picture_has_the_mean_the_policy_and_the_nearest_law():
    curves, _ = speedup_figures(UNEVEN, [ladder_of(1_000_000, 1_500_000)], SAMPLE)
    mean = rows_of(curves, "all requests")[1]
    # At two threads a law with the serial share 0.25 is 1.6: 1 / (0.25 + 0.75 / 2).
    assert mean == ("all requests", "2", "1.6", "1.5", "1.6")
    assert "serial part of 25 %" in curves.caption
    assert SAMPLE in curves.caption


def test_residuals_are_measured_less_what_the_policy_takes():
    _, left = speedup_figures(UNEVEN, [ladder_of(1_000_000, 1_500_000)], SAMPLE)
    told = {row[0]: float(row[3]) for row in left.numbers[0].rows if row[1] == "2"}
    assert told["all requests"] == pytest.approx(100 * (1.6 / 1.5 - 1), rel=1e-5)
    assert told["longest 5 %"] == 0
    assert told["shortest 5 %"] == pytest.approx(100 * (2 / 1.5 - 1), rel=1e-5)
    assert "minus the policy's speed" in left.caption


def test_where_the_policy_has_no_such_rungs_residuals_are_against_the_law():
    three = profile_of([10], (1, 1.5, 2.5))
    curves, left = speedup_figures(three, [], SAMPLE)
    share = float(curves.caption.split("serial part of ")[1].split(" %")[0]) / 100
    told = {row[1]: float(row[3]) for row in left.numbers[0].rows}
    assert told["2"] == pytest.approx(100 * (1.5 * (share + (1 - share) / 2) - 1), abs=0.1)
    assert "minus Amdahl's law" in left.caption
    assert not line_points(curves, "ink"), "nothing is used"


def test_what_is_odd_of_curves_is_said_with_its_count():
    odd = profile_of([10, 20, 30], (1, 0.9), (1, 2.5), (1, 1.5))
    says = speedup_figures(odd, [], SAMPLE)[0].caption
    assert "Of 3 curves 1 fall as threads are added." in says
    assert "Of 3 curves 1 are superlinear" in says
    alone = speedup_figures(profile_of([10], (1, 1.9, 1.8)), [], SAMPLE)[0].caption
    assert "The curve falls as threads are added." in alone


def test_a_bar_spans_nine_of_ten_requests():
    speeds = np.linspace(1.01, 2.0, 100)
    many = profile_of([10] * 100, *[(1, speed) for speed in speeds])
    (curves, *_) = speedup_figures(many, [], SAMPLE)
    rows = {row[0]: row[2] for row in curves.numbers[0].rows if row[1] == "2"}
    assert rows["5 % of requests are below"] == "1.05"
    assert rows["95 % of requests are below"] == "1.95"


def test_a_policy_that_takes_what_is_given_leaves_nothing():
    given = profile_of([10, 20], (0.5, 1))
    figures = speedup_figures(given, [ladder_of(500_000, 1_000_000, names=("slow", "fast"))], "all")
    assert [figure.ident for figure in figures] == ["speedups"]
    assert "Amdahl" not in figures[0].caption
    assert "slow" in str(figures[0].svg)


def test_names_of_rungs_that_do_not_fit_give_way_to_numbers():
    names = [f"a rather long name of rung {number}" for number in range(8)]
    speeds = [1_000_000 + 100_000 * number for number in range(8)]
    given = profile_of([10], [speed / 1e6 for speed in speeds])
    (curves,) = speedup_figures(given, [ladder_of(*speeds, names=names)], "all")
    assert "rung number" in str(curves.svg)


def test_one_place_has_no_picture():
    assert speedup_figures(profile_of([10], (1,)), [], SAMPLE) == []
