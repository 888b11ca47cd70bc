"""A diff fits on a screen, and programs get all of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tailc.diff.behaviour import Behaviour, BehaviourPoint, QuantityChange
from tailc.diff.causes import Cause
from tailc.diff.change import PairedChange
from tailc.diff.compare import Diff, diff
from tailc.diff.decisions import Decisions, Example, Share
from tailc.report import diff as render
from tailc.report.github import as_github
from tests.tailc.artifact.published import VECTORS, lucene_policy, small_policy
from tests.tailc.diff.servers import LATER, OLD, one_climb
from tests.tailc.schemas import validate

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas/report/diff-1.schema.json").read_text())
LUCENE = lucene_policy()


def point(arrivals="40/s", *, overloaded=False):
    changes = (
        QuantityChange("p50", "us", PairedChange(77_600, 78_170, 570, 350, 780)),
        QuantityChange("p99", "us", PairedChange(466_400, 403_900, -62_500, -74_400, -50_600)),
        QuantityChange("p99.9", "us", PairedChange(700_000, 600_000, -100_000, None, None)),
        QuantityChange("threads", "milli", PairedChange(15_050, 15_049, -1, -4, 2)),
        QuantityChange("utilization", "ppm", PairedChange(770_000, 760_000, -10_000, -20_000, 0)),
    )
    return BehaviourPoint(arrivals, 40_000, False, overloaded, changes)


def behaviour(rates=1, unknown=""):
    counts = tuple((cause, 5 if cause is Cause.CLIMBS_LATER else 0) for cause in Cause)
    example = Example("40/s", Cause.CLIMBS_LATER, 5, 180_250, 9, 0, 110_000, "d2", "d1")
    names = [f"{rate}/s" for rate in range(rates)]
    told = Decisions(tuple(Share(name, 50, counts) for name in names), (example,) * 5)
    points = tuple(point(name) for name in names)
    return Behaviour("0" * 64, 2000, 1, 20_000, 100, Decisions(unknown=unknown) if unknown
                     else told, points)  # fmt: skip


def whole(**options) -> Diff:
    return replace(diff(OLD, LATER), behaviour=behaviour(**options))


@pytest.mark.parametrize(
    "found",
    [
        diff(LUCENE, LUCENE),
        diff(LUCENE, small_policy()),
        diff(OLD, LATER),
        whole(),
        whole(rates=4),
        whole(unknown="the quanta differ"),
        replace(diff(LUCENE, small_policy()), behaviour=behaviour(rates=4)),
    ],
)
def test_text_fits_forty_lines_and_json_fits_its_schema(found):
    assert len(render.as_text(found).splitlines()) <= 40
    validate(json.loads(json.dumps(render.as_dict(found))), SCHEMA)
    assert render.as_markdown(found).startswith("### ")


def of_classes(count: int, *, age_ms: int, quantum_us: int):
    """A policy with a ladder for each of so many classes."""
    form = replace(one_climb(age_ms), quantum_us=quantum_us)
    names = (f"class {number}" for number in range(count))
    return replace(OLD, forms=tuple(replace(form, request_class=name) for name in names))


@pytest.mark.parametrize("became", [None, behaviour(rates=4)])
def test_many_classes_fit_forty_lines_and_say_how_much_is_left_out(became):
    found = diff(
        of_classes(12, age_ms=20, quantum_us=5_000), of_classes(12, age_ms=60, quantum_us=10_000)
    )
    assert len(found.structure.forms) == 12
    text = render.as_text(replace(found, behaviour=became))
    assert len(text.splitlines()) <= 40
    assert "rows of the ladder for class class 0" in text
    assert " more lists of differences\n" in text
    assert text.endswith("(--output-format json has all)\n")


def test_many_classes_that_one_policy_lacks_fit_forty_lines():
    found = diff(OLD, of_classes(60, age_ms=20, quantum_us=5_000))
    text = render.as_text(found)
    assert len(text.splitlines()) <= 40
    assert "class 0: only in new" in text


def test_results_are_not_cut_where_lists_of_changes_can_be():
    found = replace(diff(LUCENE, small_policy()), behaviour=behaviour(rates=3))
    text = render.as_text(found)
    assert text.count("p99 ") == 3
    assert "more\n" in text
    assert text.endswith("(--output-format json has all)\n")


def test_every_arrival_process_keeps_its_p50_p99_and_threads():
    many = behaviour(rates=3)
    others = point().quantities[2:3] * 8
    points = tuple(replace(one, quantities=(*others, *one.quantities)) for one in many.points)
    found = replace(diff(LUCENE, small_policy()), behaviour=replace(many, points=points))
    text = render.as_text(found)
    assert len(text.splitlines()) <= 40
    assert [text.count(name) for name in ("p50 ", "p99 ", "p99.9 ", " threads ")] == [3, 3, 0, 3]
    # Nine of each process
    assert "... and 27 more\n" in text


def with_slo(became: Behaviour, slo: str) -> Behaviour:
    """The same behaviour with SLOs at a further percentile `slo`, after all others."""
    of_slo = replace(point().quantities[1], name=slo, is_of_slo=True)
    points = [replace(one, quantities=(*one.quantities, of_slo)) for one in became.points]
    return replace(became, points=tuple(points))


@pytest.mark.parametrize(("rates", "slo"), [(1, "p95"), (4, "p95"), (9, "p99.99"), (40, "p95")])
def test_percentiles_of_slos_come_first_and_are_never_cut(rates, slo):
    found = replace(diff(LUCENE, small_policy()), behaviour=with_slo(behaviour(rates=rates), slo))
    lines = render.as_text(found).splitlines()
    assert sum(f" {slo} " in line for line in lines) == rates
    first = lines[lines.index("change of latency [ms] and mean threads") + 2]
    assert first.split()[:2] == ["0/s", slo]
    assert len(lines) <= max(40, rates + 40)
    assert f"| 0/s | {slo} |" in " ".join(render.as_markdown(found).split())


def test_other_quantities_follow_in_their_order_if_there_is_room():
    became = with_slo(behaviour(), "p95")
    text = render.as_text(replace(diff(OLD, LATER), behaviour=became))
    places = [text.index(f" {name} ") for name in ("p95", "p50", "p99", "p99.9", "threads")]
    assert places[0] == min(places)
    assert places[1:] == sorted(places[1:])


def test_a_change_is_printed_with_two_digits_of_its_interval():
    lines = render.as_text(whole()).splitlines()
    assert "77.60   78.17   +0.57    +0.35 .. +0.78  worse" in lines[-4]
    assert "-62.5    -74.4 .. -50.6  better" in lines[-3]
    assert "unknown  no change shown" in lines[-2]
    assert "-0.001  -0.004 .. +0.002  no change shown" in lines[-1]


def test_an_example_tells_the_request_and_both_answers():
    said = "demand 180.2 ms, 9 in system, executed 110 ms: d2 -> d1 (5 similar requests; 40/s)"
    assert said in render.as_text(whole())


def test_an_overloaded_server_shows_no_change():
    found = replace(whole(), behaviour=replace(behaviour(), points=(point(overloaded=True),)))
    assert "new overloaded" in render.as_text(found)
    quantities = render.as_dict(found)["behaviour"]["points"][0]["quantities"]
    assert {quantity["shown"] for quantity in quantities} == {None}


def test_what_is_worse_is_a_warning_in_ci():
    notice, *warnings = as_github((), render.as_notes(whole())).splitlines()
    assert notice.startswith("::notice title=policy diff::")
    assert warnings == ["::warning title=worse::p50 at 0/s: 77.60 -> 78.17, +0.57 (+0.35 .. +0.78)"]


def test_names_out_of_files_cannot_command_a_terminal():
    evil = replace(LATER, name="a\x1b[2J")
    assert "\x1b" not in render.as_text(diff(OLD, evil))
    assert "\x1b" not in render.as_markdown(diff(OLD, evil))


def test_the_vectors_can_all_be_compared():
    from tailc.artifact.files import read_policy

    policies = [read_policy(path) for path in sorted(VECTORS.glob("*.json"))]
    for old in policies:
        for new in policies:
            assert len(render.as_text(diff(old, new)).splitlines()) <= 40
