"""Pictures of jobs: what is drawn is what the plan says."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from matplotlib.colors import to_hex

from tailc.forms.plan.plan import PlannedJob, Span
from tailc.report.plan_jobs_plot import draw, draw_stack, picture, stack_picture
from tailc.report.plan_shown import MOST_NAMED, NamedJobs, name_largest_jobs
from tailc.report.plan_stack import stack_from_replay
from tests.tailc.artifact.published import policy_of
from tests.tailc.forms.plan.random_plans import random_plan
from tests.tailc.report.clusters import two_jobs
from tests.tailc.report.drawn_axes import axes_of
from tests.tailc.report.hash_seeds import with_hash_seed


def plan_in(vector):
    found = policy_of(vector).plan
    assert found
    return found


PLAN, CLUSTER = plan_in("plan"), plan_in("plan-cluster")


def legend_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def heights_of(axes):
    """Of each area of a stack, from the lowest on, how high it is."""
    found = [patch.get_data() for patch in axes.patches]
    return [data.values - data.baseline for data in found]


def rectangles_of(axes, plan):
    """Server-epochs that each group of bands covers, without the lines between them."""
    *groups, _lines = axes.collections
    covered = []
    for group in groups:
        corners = [path.vertices[:4] for path in group.get_paths()]
        covered.append(
            sum((c[1][0] - c[0][0]) * (c[2][1] - c[1][1]) / plan.epoch_s for c in corners)
        )
    return covered


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
    (axes,) = axes_of(draw, CLUSTER)
    grows, waits = heights_of(axes)
    assert grows.tolist() == [0, 1, 1, 4, 6, 6, 4, 0, 0, 0, 0, 0]
    assert waits.tolist() == [0, 0, 0, 0, 0, 0, 1, 3, 1, 0, 0, 0]
    assert legend_of(axes) == ["all 12 servers", "waits", "grows"]


@pytest.mark.parametrize("seed", range(40))
def test_all_jobs_together_are_the_busy_servers(seed):
    plan = random_plan(Random(seed))
    (axes,) = axes_of(draw, plan)
    busy = plan.busy.sum(axis=0)
    if plan.has_buses:
        assert sum(rectangles_of(axes, plan) if plan.jobs else []) == pytest.approx(busy.sum())
    else:
        heights = heights_of(axes)
        np.testing.assert_array_equal(sum(heights) if heights else 0 * busy, busy)


def test_on_two_buses_bands_cover_the_slots_of_each_job():
    (axes,) = axes_of(draw, PLAN)
    assert rectangles_of(axes, PLAN) == pytest.approx([100, 112, 224])
    assert legend_of(axes) == [
        "morning-batch", "render/7", "Zürich", "free, on the green bus", "green bus above"
    ]  # fmt: skip


def test_the_boundary_of_the_buses_is_below_the_green_racks():
    """None, one, three and four of seven racks of eight servers, and all."""
    (axes,) = axes_of(draw, PLAN)
    boundary = axes.patches[-1].get_data().values.tolist()
    assert boundary == [56, 56, 48, 48, 32, 32, 24, 24, 0, 0, 24, 24, 32, 32, 48, 56]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["racks 1-3", "rack 4", "racks 5-6", "rack 7"]


@pytest.mark.parametrize("plan", [PLAN, CLUSTER], ids=["racks", "cluster"])
def test_of_many_jobs_the_largest_are_named_and_the_others_counted(plan):
    many = many_jobs(plan, 40)
    (axes,) = axes_of(draw, many)
    texts = legend_of(axes)
    assert f"{40 - MOST_NAMED} other jobs" in texts
    assert {"job 0", "job 1", "job 2", "job 23"} <= set(texts)
    assert "job 24" not in texts
    drawn = rectangles_of(axes, many) if many.has_buses else [h.sum() for h in heights_of(axes)]
    assert sorted(drawn) == [1] * 21 + [2] * 3 + [16]


def test_named_jobs_are_the_largest_in_order_of_their_beginning():
    slots, begins = [*range(30)], [*range(30, 0, -1)]
    found = name_largest_jobs(slots, begins)
    assert found == NamedJobs(tuple(range(29, 5, -1)), tuple(range(6)))
    assert len({found.look(place) for place in range(MOST_NAMED)}) == MOST_NAMED
    assert name_largest_jobs([5, 5], [0, 0]).named == (0, 1)


def test_names_are_written_as_they_are_or_as_the_font_can():
    names = ("$x_{1}$", "_hidden", "a\nb", "線形", "n" * 99)
    # Each is wide enough to be named in its band.
    jobs = tuple(PlannedJob(name, (Span(0, 0, 12, 1),), 0) for name in names)
    for plan in (PLAN, CLUSTER):
        (axes,) = axes_of(draw, replace(plan, jobs=jobs))
        texts = set(legend_of(axes))
        assert {"$x_{1}$", "_hidden", "a\\x0ab", "\ufffd\ufffd", "n" * 19 + "..."} <= texts
        assert picture(replace(plan, jobs=jobs), "svg")
    pool = replace(PLAN.pools[0], name="$\\frac")
    (axes,) = axes_of(draw, replace(PLAN, pools=(pool, *PLAN.pools[1:])))
    assert axes.get_yticklabels()[0].get_text() == "$\\frac"
    axes.figure.draw_without_rendering()


def test_a_name_is_in_its_band_where_it_fits():
    (axes,) = axes_of(draw, PLAN)
    written = {text.get_text(): text.get_position() for text in axes.texts}
    assert set(written) == {"morning-batch", "render/7", "Zürich"}
    across_s, up = written["morning-batch"]
    assert 0 < across_s < 6 * 900
    assert 0 < up < 10
    thin = replace(PLAN, jobs=(PlannedJob("thin", (Span(0, 0, 1, 1),), 0),))
    assert not axes_of(draw, thin)[0].texts


@pytest.mark.parametrize("plan", [PLAN, CLUSTER], ids=["racks", "cluster"])
def test_a_name_on_a_hatch_stands_on_the_plain_colour(plan):
    """The ninth job is the first that is hatched."""
    short = tuple(PlannedJob(f"job {n}", (Span(0, n, 1, 1),), 0) for n in range(7))
    plain = PlannedJob("plain", (Span(0, 7, 4, 3),), 0)
    hatched = PlannedJob("hatched", (Span(1, 8, 4, 2),), 0)
    (axes,) = axes_of(draw, replace(plan, jobs=(*short, plain, hatched)))
    grounds = {text.get_text(): text.get_bbox_patch() for text in axes.texts}
    assert "plain" in grounds
    assert [name for name, ground in grounds.items() if ground is not None] == ["hatched"]
    look = name_largest_jobs([1] * 9, [0] * 9).look(8)
    assert look.hatch
    assert to_hex(grounds["hatched"].get_facecolor()) == look.color


def test_a_replay_has_the_servers_that_jobs_were_given():
    """Jobs that ask for two and four of four servers take 334 s and 200 s, one after the other."""
    stack = stack_from_replay(0, 900, 4, two_jobs(0))
    assert stack.edges_s == (0, 334, 534, 900)
    (axes,) = axes_of(draw_stack, stack)
    assert [height.tolist() for height in heights_of(axes)] == [[2, 0, 0], [0, 4, 0]]
    assert legend_of(axes) == ["all 4 servers", "job 2", "job 1"]
    assert stack_picture(stack, "png").startswith(b"\x89PNG")


@pytest.mark.parametrize("vector", ["plan-extremes", "plan-slow", "plan-smallest"])
def test_extreme_plans_have_a_picture(vector):
    assert picture(plan_in(vector), "png").startswith(b"\x89PNG")


def test_the_same_plan_has_the_same_bytes():
    drawn = picture(CLUSTER, "svg")
    code = """
    from tailc.report.plan_jobs_plot import picture
    written = picture(policy_of("plan-cluster").plan, "svg")
    """
    assert with_hash_seed("1", code) == with_hash_seed("2", code) == drawn
