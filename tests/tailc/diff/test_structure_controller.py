"""What differs between ladders of cores and between controllers, told by name."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.artifact.envelope import Policy
from tailc.artifact.flat_form import decode_flat, encode_flat
from tailc.diff.compare import diff
from tailc.diff.controllers import controller_changes
from tailc.diff.differences import SettingChange
from tailc.diff.structure import compare_structure
from tailc.forms.controller import Controller, GainRow
from tailc.forms.ladder.table import Ladder, Power
from tailc.report import diff as render
from tailc.report.github import as_github
from tests.tailc.artifact.published import controlled_policy
from tests.tailc.forms.random_forms import random_controller
from tests.tailc.schemas import validate

SEEDS = st.integers(0, 2**32)
SCHEMA = json.loads((Path(__file__).parents[3] / "schemas/report/diff-1.schema.json").read_text())
POLICY = controlled_policy()
CORES, SHORT = POLICY.ladders
assert POLICY.controller
CONTROLLER = POLICY.controller


def with_controller(controller: Controller | None) -> Policy:
    return replace(POLICY, forms=POLICY.ladders if controller is None
                   else (*POLICY.ladders, controller))  # fmt: skip


def with_cores(ladder: Ladder) -> Policy:
    return replace(POLICY, forms=(ladder, SHORT, CONTROLLER))


def test_a_policy_with_a_controller_beside_itself_has_no_difference():
    assert not compare_structure(POLICY, decode_flat(encode_flat(POLICY))).differs


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"percentile_ppm": 999_000}, SettingChange("percentile", "p99", "p99.9")),
        ({"target_us": 175_000}, SettingChange("target", "200 ms", "175 ms")),
        ({"epoch_requests": 2_000}, SettingChange("epoch", "500 requests", "2,000 requests")),
        ({"window_requests": 500}, SettingChange("window", "2,000 requests", "500 requests")),
        ({"first_ppm": 500_000}, SettingChange("first output", "100 %", "50 %")),
        ({"least_ppm": 0}, SettingChange("least output", "5.0001 %", "0 %")),
        ({"fraction_bits": 39}, SettingChange("unit of gains", "2^-40", "2^-39")),
    ],
)
def test_a_setting_of_a_controller_is_told_by_name(changes, told):
    found = compare_structure(POLICY, with_controller(replace(CONTROLLER, **changes)))
    assert found.controller[0] == told
    assert all("%/ms" in str(change.new) for change in found.controller[1:])
    assert (found.forms, found.promise) == ((), ())
    assert found.changes_behaviour


def test_a_lower_limit_is_told_by_name():
    first = replace(CONTROLLER, first_ppm=500_000)
    lower = replace(first, most_ppm=900_000)
    assert [*controller_changes(first, lower)] == [SettingChange("most output", "100 %", "90 %")]


def test_a_gain_goes_by_its_name_and_rate():
    """0.49 of 109 ms by ms are 0.4495 % by ms: 4942760 or so by us in units of 2^-40."""
    first, *others = CONTROLLER.gains
    nearly = replace(CONTROLLER, gains=(replace(first, ki=first.ki + 1), *others))
    (told,) = compare_structure(POLICY, with_controller(nearly)).controller
    assert told == SettingChange(
        "ki from 0/s", f"0.4495 %/ms ({first.ki})", f"0.4495 %/ms ({first.ki + 1})"
    )


def test_gains_from_another_rate_on_come_and_go_whole():
    low, middle, high = CONTROLLER.gains
    moved = replace(CONTROLLER, gains=(low, replace(middle, first_rate_mrps=40_000), high))
    found = compare_structure(POLICY, with_controller(moved)).controller
    names = [f"{gain} from {rate}/s" for rate in (40, 50) for gain in ("kp", "ki", "kd")]
    assert [change.what for change in found] == names
    assert [change.old is None for change in found] == [True] * 3 + [False] * 3
    assert [change.new is None for change in found] == [False] * 3 + [True] * 3


def test_a_controller_that_only_one_policy_has_is_one_difference():
    without = with_controller(None)
    summary = "p99 to 200 ms, a step every 500 requests"
    assert compare_structure(without, POLICY).controller == (
        SettingChange("controller", None, summary),
    )
    assert compare_structure(POLICY, without).controller == (
        SettingChange("controller", summary, None),
    )
    assert compare_structure(without, without).controller == ()


@given(SEEDS, SEEDS)
def test_controllers_differ_in_words_exactly_if_they_differ(seed, other):
    one, two = random_controller(Random(seed)), random_controller(Random(other))
    assert bool([*controller_changes(one, two)]) == (one != two)
    assert not [*controller_changes(one, one)]


@given(SEEDS, SEEDS)
def test_no_single_field_of_a_controller_is_overlooked(seed, other):
    one, two = random_controller(Random(seed)), random_controller(Random(other))
    for field in fields(Controller):
        try:
            mixed = replace(one, **{field.name: getattr(two, field.name)})
        except ValueError:  # the two do not go together
            continue
        assert bool([*controller_changes(one, mixed)]) == (one != mixed), field.name


def test_no_single_gain_is_overlooked():
    for place, row in enumerate(CONTROLLER.gains):
        for field in fields(GainRow)[1:]:
            changed = replace(row, **{field.name: getattr(row, field.name) - 1})
            gains = (*CONTROLLER.gains[:place], changed, *CONTROLLER.gains[place + 1 :])
            (told,) = controller_changes(CONTROLLER, replace(CONTROLLER, gains=gains))
            assert told.what.startswith(field.name)


@pytest.mark.parametrize(
    ("ladder", "told"),
    [
        (
            replace(CORES, power=Power(3, (50_000, 170_000, 350_000, 0))),
            SettingChange("power of a free core of fast", "0.34", "0.35"),
        ),
        (
            replace(CORES, rungs=(*CORES.rungs[:2], replace(CORES.rungs[2], move_us=90))),
            SettingChange("move to fast", "500 us", "90 us"),
        ),
        (
            replace(CORES, rungs=(*CORES.rungs[:2], replace(CORES.rungs[2], move_us=None))),
            SettingChange("move to fast", "500 us", "at once"),
        ),
        (
            replace(
                CORES,
                rungs=(
                    *CORES.rungs[:2],
                    replace(CORES.rungs[2], cost_ppm=(0, 0, 1_000_000, 8_000_000)),
                ),
            ),
            SettingChange("cost of fast in power", "6.8", "8"),
        ),
        (
            replace(
                CORES,
                cost_units=(
                    replace(CORES.cost_units[0], capacity_ppm=13_000_000),
                    *CORES.cost_units[1:],
                ),
            ),
            SettingChange("capacity in slow", "7", "13"),
        ),
        (
            replace(CORES, rules=CORES.rules[:2]),
            SettingChange(
                "rules",
                "age-from-arrival, core-per-request, make-room",
                "age-from-arrival, core-per-request",
            ),
        ),
    ],
)
def test_a_setting_of_cores_is_told_by_name(ladder, told):
    found = compare_structure(POLICY, with_cores(ladder))
    (form,) = found.forms
    assert (form.settings, form.rows, found.controller) == ((told,), (), ())


def test_power_in_another_cost_unit_is_told_by_its_name():
    units = (*CORES.cost_units, replace(CORES.cost_units[3], name="watts"))
    rungs = tuple(replace(rung, cost_ppm=(*rung.cost_ppm, 0)) for rung in CORES.rungs)
    two = replace(CORES, cost_units=units, rungs=rungs, power=Power(3, (0, 0, 0, 0, 0)))
    other = replace(two, power=Power(4, (0, 0, 0, 0, 0)))
    (form,) = compare_structure(with_cores(two), with_cores(other)).forms
    assert form.settings == (SettingChange("power", "power", "watts"),)


SLOWER = with_controller(replace(CONTROLLER, epoch_requests=1_000))


@pytest.mark.parametrize("new", [POLICY, SLOWER, with_controller(None)])
def test_every_report_tells_of_the_controller(new):
    found = diff(POLICY, new)
    document = json.loads(json.dumps(render.as_dict(found)))
    validate(document, SCHEMA)
    count = len(document["forms"]["controller"])
    assert count == (0 if new is POLICY else 1)
    assert ("controller" in render.as_text(found).splitlines()) == (count > 0)
    told = {change.what for change in found.structure.controller}
    for text in (render.as_text(found), render.as_markdown(found)):
        assert all(f"{what}: " in text for what in told)
    assert ("of the controller: 1" in as_github((), render.as_notes(found))) == (count > 0)
