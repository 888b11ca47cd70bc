"""From solved ages to a ladder of cores; ages are written out by hand."""

import pytest

from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.forms.ladder.table import AT_ONCE, Climb, CostUnit, Guard, Power, Row, Rule, Rung
from tailc.pipeline.spec import open_kind
from tailc.policies.slow_to_fast import KIND
from tailc.problems.schedule import Schedule
from tailc.problems.thresholds import ThresholdSolution
from tests.tailc.pipeline.cores import MS, PPM, profile
from tests.tailc.policies.slow_to_fast.case import swapped, write

CONTROL = "control: {epoch: 50 requests, window: 200 requests}"
AMP = "  power_from: micro-2017-amp\n  types: [{speed: 1, count: 5}, {speed: 2, count: 2}]"
THREE = "  power_from: micro-2017-amp\n  types: [{speed: 1, count: 5}, {speed: 1.44, count: 1}, "
THREE += "{speed: 2, count: 2}]"
OFF = (CONTROL, "control: off")
EVIDENCE = RowEvidence(1, 1, 1, 1, 1, 1, 1, 1, 1)


def emitted(folder, *stay_us, curves=((1.0, 2.0),), changes=()):
    spec = open_kind(str(write(folder, swapped(*changes)).spec)).spec
    problem = KIND.reduce(spec, profile([50.0, 120.0], curves))
    solution = ThresholdSolution(Schedule(0, stay_us), EVIDENCE, 0, "none", "solver", 1)
    return KIND.emit(spec, problem, solution)


def test_types_are_cost_units_with_their_counts_and_rungs_one_core_each(tmp_path):
    form = emitted(tmp_path, 70 * MS)
    assert form.cost_units == (
        CostUnit("slow", 5 * PPM),
        CostUnit("fast", 2 * PPM),
        CostUnit("power"),
    )
    assert form.rungs == (
        Rung("slow", PPM, (PPM, 0, PPM), core_type="slow"),
        Rung("fast", 2 * PPM, (0, PPM, 6_800_000), 500, core_type="fast"),
    )
    assert form.rows == (Row(1, None, AT_ONCE, (Climb(0, 0), Climb(70 * MS, 1))),)
    assert form.power == Power(2, (0, 0, 0))
    assert form.guard == Guard(1, 7)
    assert form.quantum_us == 5 * MS


def test_ages_count_from_arrival_and_the_oldest_make_room_unless_said_otherwise(tmp_path):
    rules = {Rule.CORE_PER_REQUEST, Rule.NEVER_DESCEND, Rule.MAKE_ROOM}
    assert set(emitted(tmp_path, 70 * MS).rules) == {*rules, Rule.AGE_FROM_ARRIVAL}
    clock = ("quantum: 5ms", "quantum: 5ms, age_clock: execution")
    assert set(emitted(tmp_path, 70 * MS, changes=[clock]).rules) == rules


def test_levels_share_one_unit_and_nobody_has_to_make_room(tmp_path):
    levels = "[{speed: 1, power: 1}, {speed: 2, power: 5}]"
    dvfs = (AMP, f"  dvfs: {{count: 4, idle_power: 0.5, levels: {levels}}}")
    form = emitted(tmp_path, 70 * MS, changes=[dvfs])
    assert form.cost_units == (CostUnit("cores", 4 * PPM), CostUnit("power"))
    assert [rung.cost_ppm for rung in form.rungs] == [(PPM, PPM), (PPM, 5 * PPM)]
    assert form.rungs[1].move_us == 90
    assert form.power == Power(1, (500_000, 0))
    assert Rule.MAKE_ROOM not in form.rules
    assert form.guard == Guard(1, 4)


def test_never_to_climb_is_left_out_where_ages_stay_as_they_are(tmp_path):
    assert emitted(tmp_path, None, changes=[OFF]).rows[0].climbs == (Climb(0, 0),)


def test_under_a_controller_never_is_an_age_that_no_request_reaches(tmp_path):
    # The longest is done after 120 ms on slow cores.
    assert emitted(tmp_path, None).rows[0].climbs == (Climb(0, 0), Climb(120 * MS + 1, 1))


def test_each_further_climb_that_never_comes_is_as_much_later_again(tmp_path):
    curves = ((1.0, 1.44, 2.0),)
    never = emitted(tmp_path, None, 0, curves=curves, changes=[(AMP, THREE)])
    done_us = 120 * MS + 1
    assert never.rows[0].climbs == (Climb(0, 0), Climb(done_us, 1), Climb(2 * done_us, 2))
    # 48 ms at 1 and the other 72 at 1.44 are done at 98 ms.
    one = emitted(tmp_path, 48 * MS, None, curves=curves, changes=[(AMP, THREE)])
    assert one.rows[0].climbs == (Climb(0, 0), Climb(48 * MS, 1), Climb(98 * MS + 1, 2))


def test_speeds_of_rungs_are_the_means_of_requests_that_have_their_own(tmp_path):
    own = profile([50.0, 150.0], curves=((1.0, 2.0), (1.0, 1.5)), curve_of=[0, 1])
    spec = open_kind(str(write(tmp_path).spec)).spec
    solution = ThresholdSolution(Schedule(0, (0,)), EVIDENCE, 0, "none", "solver", 1)
    form = KIND.emit(spec, KIND.reduce(spec, own), solution)
    # 200 ms of work in 25 + 100 ms.
    assert form.rungs[1].speed_ppm == pytest.approx(1_600_000)


def test_a_type_called_power_does_not_take_the_name_of_the_unit(tmp_path):
    named = (AMP, AMP.replace("{speed: 2,", "{name: power, speed: 2,"))
    form = emitted(tmp_path, 70 * MS, changes=[named])
    assert [unit.name for unit in form.cost_units] == ["slow", "power cores", "power"]
