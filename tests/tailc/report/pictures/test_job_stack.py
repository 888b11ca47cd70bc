"""Pictures of jobs: what is drawn is what the plan says."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest

from tailc.forms.plan.plan import PlannedJob, Span
from tailc.report.pictures import job_raster
from tailc.report.pictures.job_groups import job_groups
from tailc.report.pictures.job_servers import stack_from_replay
from tailc.report.pictures.job_stack import jobs_figure, stack_figure
from tailc.report.pictures.tones import AREAS
from tests.tailc.artifact.published import policy_of
from tests.tailc.forms.plan.random_plans import random_plan
from tests.tailc.report.clusters import two_jobs
from tests.tailc.report.pictures.drawings import (
    SVG,
    areas,
    columns,
    heights,
    levels,
    line_points,
    rectangles,
    root_of,
    size,
    texts,
)


def plan_in(vector):
    found = policy_of(vector).plan
    assert found
    return found


PLAN, CLUSTER = plan_in("plan"), plan_in("plan-cluster")


def covered(figure, plan):
    """Server-epochs that each name covers in a raster."""
    (boundary,) = line_points(figure, "boundary")
    unit = (max(x for x, _ in boundary) - min(x for x, _ in boundary)) / len(plan.epochs)
    server = 320 / plan.servers
    return {
        name: sum(wide * high for _, _, wide, high in each) / (unit * server)
        for name, each in rectangles(figure).items()
    }


def many_jobs(plan, count):
    """Jobs on one server of the largest pool for an epoch each, the first of them for two."""
    servers, epochs = plan.pools[0].servers, len(plan.epochs)
    assert count <= servers * (epochs // 2)
    first = [(n % (epochs // 2)) * 2 for n in range(count)]
    jobs = tuple(
        PlannedJob(f"job {n}", (Span(0, first[n], 2 if n < 3 else 1, 1),), 0) for n in range(count)
    )
    return replace(plan, jobs=jobs)


def test_on_one_bus_jobs_stand_on_one_another_with_their_servers():
    """The job `grows` has 1, 1, 4, 6, 6 and 4 servers from epoch 1 on.

    And `waits` has 1, 3 and 1 from epoch 6 on.
    """
    figure = jobs_figure(CLUSTER)
    table = columns(figure)
    assert table["grows"] == ["0", "1", "1", "4", "6", "6", "4", "0", "0", "0", "0", "0"]
    assert table["waits"] == ["0", "0", "0", "0", "0", "0", "1", "3", "1", "0", "0", "0"]
    assert texts(figure, "legend") == ["grows", "waits"]
    assert texts(figure, "said") == ["all 12 servers"]
    drawn = areas(figure)
    assert heights(figure, drawn["grows"][:, 1]).max() == pytest.approx(6, abs=0.02)
    # In epochs 6 and 7 the second stands on the first, which then has ended.
    left, right = drawn["grows"][:, 0].min(), drawn["grows"][:, 0].max()
    middles = left + (right - left) * np.array([6.5, 7.5]) / 12
    sides = [heights(figure, side).round(1).tolist() for side in levels(drawn["waits"], middles)]
    assert sides == [[5, 3], [4, 0]]


@pytest.mark.parametrize("seed", range(12))
def test_all_jobs_together_are_the_busy_servers(seed):
    plan = random_plan(Random(seed))
    busy, figure = plan.busy.sum(axis=0), jobs_figure(plan)
    if not plan.jobs:
        assert list(columns(figure)) == ["begins"]
    elif plan.has_buses:
        assert sum(covered(figure, plan).values()) == pytest.approx(busy.sum(), rel=5e-3)
    else:
        begins, *jobs = columns(figure).values()
        assert len(begins) == len(busy)
        np.testing.assert_array_equal(np.array(jobs, float).sum(axis=0), busy)


def test_on_two_buses_bands_cover_the_slots_of_each_job():
    figure = jobs_figure(PLAN)
    slots = {"morning-batch": 100, "render/7": 112, "Zürich": 224}
    assert covered(figure, PLAN) == pytest.approx(slots, rel=2e-3)
    assert texts(figure, "legend") == [*slots, "free, on the green bus", "green bus above"]


def test_the_boundary_of_the_buses_is_below_the_green_racks():
    """None, one, three and four of seven racks of eight servers, and all."""
    figure = jobs_figure(PLAN)
    (boundary,) = line_points(figure, "boundary")
    ((_, bottom), (_, top)) = (pick(boundary, key=lambda point: point[1]) for pick in (max, min))
    low = [56, 56, 48, 48, 32, 32, 24, 24, 0, 0, 24, 24, 32, 32, 48, 56]
    wanted = [low[0], *(low[at] for at in range(1, len(low)) if low[at] != low[at - 1])]
    seen = [round((bottom - y) / (bottom - top) * 56) for _, y in boundary[::2]]
    assert seen == wanted
    assert texts(figure, "tick")[-4:] == ["racks 1-3", "rack 4", "racks 5-6", "rack 7"]


@pytest.mark.parametrize("plan", [PLAN, CLUSTER], ids=["racks", "cluster"])
def test_of_many_jobs_the_largest_are_named_and_the_others_counted(plan):
    many = many_jobs(plan, 40)
    figure = jobs_figure(many)
    names = texts(figure, "legend")
    assert f"{40 - AREAS} other jobs" in names
    assert {"job 0", "job 1", "job 2", "job 23"} <= set(names)
    assert "job 24" not in names
    drawn = (
        covered(figure, many)
        if many.has_buses
        else {n: sum(map(float, of)) for n, of in columns(figure).items() if "job" in n}
    )
    assert sorted(map(round, drawn.values())) == [1] * 21 + [2] * 3 + [16]


def test_named_jobs_are_the_largest_in_order_of_their_beginning():
    names = [f"job {n}" for n in range(30)]
    *named, others = job_groups(names, [*range(30)], [*range(30, 0, -1)])
    assert [one.jobs for one in named] == [(n,) for n in range(29, 5, -1)]
    assert (others.jobs, others.name) == (tuple(range(6)), "6 other jobs")
    assert len({one.tone for one in named}) == AREAS
    assert [one.jobs for one in job_groups(names[:2], [5, 5], [0, 0])] == [(0,), (1,)]


def test_names_are_text_whatever_they_have():
    names = ("$x_{1}$", "<b>&", "a\nb", "線形", "n" * 99)
    jobs = tuple(PlannedJob(name, (Span(0, 0, 12, 1),), 0) for name in names)
    shown = ["$x_{1}$", "<b>&", "a\\x0ab", "線形", "n" * 19 + "..."]
    for plan in (PLAN, CLUSTER):
        assert texts(jobs_figure(replace(plan, jobs=jobs)), "legend")[:5] == shown
    pool = replace(PLAN.pools[0], name="<\\frac>")
    figure = jobs_figure(replace(PLAN, pools=(pool, *PLAN.pools[1:])))
    assert "<\\frac>" in texts(figure, "tick")


def test_a_name_is_in_its_band_where_it_fits():
    figure = jobs_figure(PLAN)
    written = {
        one.text: (float(one.attrib["x"]), float(one.attrib["y"]) - 4)
        for one in root_of(figure).iter(f"{SVG}text")
        if one.attrib["class"].startswith("name")
    }
    assert set(written) == {"morning-batch", "render/7", "Zürich"}
    for name, (x, y) in written.items():
        assert any(
            left < x < left + wide and top < y < top + tall
            for left, top, wide, tall in rectangles(figure)[name]
        )
    thin = replace(PLAN, jobs=(PlannedJob("thin", (Span(0, 0, 1, 1),), 0),))
    assert texts(jobs_figure(thin), "name") == []


def test_names_of_pools_do_not_overlap_and_have_room():
    pools = [SimpleNamespace(name=f"a pool of racks {n}", servers=2) for n in range(60)]
    axis = job_raster.pools_axis(SimpleNamespace(pools=pools, servers=120))
    places = [at for at, _ in axis.ticks]
    assert 15 <= len(places) <= 24
    assert min(np.diff(places)) >= 120 * 13 / 300


def test_more_bands_than_fit_are_stacked(monkeypatch):
    monkeypatch.setattr(job_raster, "_MOST_BANDS", 2)
    figure = jobs_figure(PLAN)
    assert texts(figure, "said") == ["all 56 servers"]
    slots = {name: size(outline) for name, outline in areas(figure).items()}
    assert slots["Zürich"] / slots["morning-batch"] == pytest.approx(2.24, rel=5e-3)


def test_a_replay_has_the_servers_that_jobs_were_given():
    """Jobs that ask for two and four of four servers take 334 s and 200 s, one after the other."""
    stack = stack_from_replay(0, 900, 4, two_jobs(0))
    assert stack.edges_s == (0, 334, 534, 900)
    figure = stack_figure(stack)
    table = columns(figure)
    assert (table["job 1"], table["job 2"]) == (["2", "0", "0"], ["0", "4", "0"])
    assert texts(figure, "said") == ["all 4 servers"]


@pytest.mark.parametrize("vector", ["plan-extremes", "plan-slow", "plan-smallest"])
def test_extreme_plans_have_a_picture(vector):
    assert root_of(jobs_figure(plan_in(vector))).tag == f"{SVG}svg"
