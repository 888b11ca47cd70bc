"""What is refused, and where; each message names the place, and a way out."""

import jsonschema
import pytest

from tailc.errors import Code, TailcError
from tailc.pipeline.spec import open_kind
from tailc.policies.slow_to_fast.spec import SlowToFastSpec
from tailc.specs.document import parse_document
from tailc.specs.json_schema import spec_schema
from tailc.specs.tree import plain
from tests.tailc import texts
from tests.tailc.policies.slow_to_fast.case import swapped, write
from tests.tailc.policies.slow_to_fast.spec_case import (
    AMP,
    CONTROL,
    FAST,
    SLOW,
    WRITTEN,
    WRONG,
    with_types,
)


def refused(folder, spec: str) -> list[tuple[Code, str, str]]:
    """Code, message, and the text of the line that the finding stands at."""
    with pytest.raises(TailcError) as caught:
        open_kind(str(write(folder, spec).spec))
    lines = spec.splitlines()
    return [(f.code, f.message, lines[f.place.line - 1]) for f in caught.value.findings]


def with_fast(*changes: tuple[str, str]) -> str:
    """Two types, the fast one changed."""
    return with_types(SLOW, texts.swapped(FAST, *changes))


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_is_refused_where_it_stands(name, tmp_path):
    spec, code, path = WRONG[name]
    found = refused(tmp_path, spec)
    assert code in [each for each, _, _ in found]
    (message, line) = next((m, line) for each, m, line in found if each is code)
    assert path in message
    last = path.rpartition(".")[2].partition("[")[0]
    assert last in line or code is Code.MISSING_KEY


@pytest.mark.parametrize(
    ("power", "said"),
    [
        ("-1", "at least 0.000001 of a slow core's and at most 1,000,000, not `-1`"),
        ("0", "at least 0.000001 of a slow core's and at most 1,000,000, not `0`"),
        ("1e-10", "at least 0.000001 of a slow core's and at most 1,000,000, not `1e-10`"),
        ("0W", "at least 0.001 W and at most 1,000,000, not `0W`"),
    ],
)
def test_the_least_power_is_told(power, said, tmp_path):
    types = [each.replace("W", "") for each in (SLOW, FAST)]
    spec = with_types(types[0], types[1].replace("power: 6", f"power: {power}"))
    ((_, message, _),) = refused(tmp_path, spec)
    assert message == f"`cores.types[1].power` must be {said}"


def test_the_least_power_is_allowed(tmp_path):
    types = [each.replace("W", "") for each in (SLOW, FAST)]
    spec = with_types(types[0], types[1].replace("power: 6", "power: 0.000001"))
    assert open_kind(str(write(tmp_path, spec).spec)).spec.all_cores.types[1].power_ppm == 1


WINDOWS = {
    "epoch: 3000 requests": "`control.epoch` is 3,000 requests, more than the 2,000 of "
    "`control.window`, which is not given",
    "window: 100 requests": "`control.window` is 100 requests, less than an epoch",
    "intervals: 1, gains: [{ki: 1}, {ki: 1}]": "`control.gains` has 2 sets, but the rates have "
    "1 interval",
    "gains: [{ki: 1}]": "`control.gains` has 1 set, but the rates have 3 intervals",
}


@pytest.mark.parametrize("written", WINDOWS)
def test_what_is_wrong_with_a_controller_is_named_by_its_key(written, tmp_path):
    ((_, message, line),) = refused(tmp_path, swapped((CONTROL, f"control: {{{written}}}")))
    assert message == WINDOWS[written]
    assert line.startswith("control: ")


def test_all_that_is_wrong_with_cores_is_said_at_once(tmp_path):
    spec = with_types(FAST, SLOW.replace("little", "big").replace("1W", "1W, idle_power: 2W"))
    assert len(refused(tmp_path, spec)) == 3


def test_powers_are_watts_where_they_have_a_unit_and_relative_where_not(tmp_path):
    watts = open_kind(str(write(tmp_path, with_types(SLOW, FAST)).spec)).spec.used_cores
    assert [each.power_ppm for each in watts.types] == [1_000_000, 6_000_000]
    assert watts.unit.value == "W"
    published = open_kind(str(write(tmp_path).spec)).spec.used_cores
    assert [each.power_ppm for each in published.types] == [1_000_000, 6_800_000]
    assert published.unit.value == "slow cores"
    assert [each.name for each in published.types] == ["slow", "fast"]


def test_speed_one_is_that_of_the_type_that_demand_was_measured_on(tmp_path):
    on_big = with_types(SLOW, FAST).replace("reference: slow", "reference: big")
    cores = open_kind(str(write(tmp_path, on_big).spec)).spec.used_cores
    assert [each.speed_ppm for each in cores.types] == [500_000, 1_000_000]
    elsewhere = with_types(SLOW, FAST).replace("reference: slow", "reference: a little core")
    cores = open_kind(str(write(tmp_path, elsewhere).spec)).spec.used_cores
    assert [each.speed_ppm for each in cores.types] == [1_000_000, 2_000_000]


def test_a_dominated_type_is_dropped_with_a_warning(tmp_path):
    # 5 W at 1.5 is 3.33 J of work, 6 W at 2 only 3.
    middle = "{name: middle, count: 1, speed: 1.5, power: 5W}"
    opened = open_kind(str(write(tmp_path, with_types(SLOW, middle, FAST)).spec))
    (warning,) = opened.warnings
    assert warning.code is Code.RUNG_DOMINATED
    assert "`middle` is not used" in warning.message
    assert "middle" in warning.place.excerpt
    assert [each.name for each in opened.spec.used_cores.types] == ["little", "big"]
    assert opened.spec.speedup.source.curve == (1_000_000, 2_000_000)


def test_columns_of_a_dropped_type_are_not_read(tmp_path):
    middle = "{name: middle, count: 1, speed: 1.5, power: 5W}"
    own = with_types(SLOW, middle, FAST) + "speedup: {columns: [a, b, c]}\n"
    assert open_kind(str(write(tmp_path, own).spec)).spec.speedup.source.columns == ("a", "c")


def test_levels_without_speeds_go_by_their_frequencies(tmp_path):
    levels = "[{frequency: 1.7GHz, power: 1W}, {frequency: 3.4GHz, power: 4W}]"
    spec = swapped((AMP, f"  dvfs: {{count: 4, levels: {levels}}}"))
    cores = open_kind(str(write(tmp_path, spec).spec)).spec.used_cores
    assert cores.is_in_place
    assert [each.name for each in cores.types] == ["1.7 GHz", "3.4 GHz"]
    assert [each.speed_ppm for each in cores.types] == [1_000_000, 2_000_000]
    assert (cores.count, cores.peak_ppm) == (4, 16_000_000)


def test_a_published_table_is_looked_up_by_the_ratio_of_frequencies(tmp_path):
    levels = "[{frequency: 1.7GHz}, {frequency: 3.4GHz}]"
    spec = f"  power_from: micro-2017-dvfs\n  dvfs: {{count: 4, levels: {levels}}}"
    cores = open_kind(str(write(tmp_path, swapped((AMP, spec))).spec)).spec.used_cores
    assert [each.power_ppm for each in cores.types] == [1_700_000, 6_800_000]


def test_what_the_paper_measured_is_the_default(tmp_path):
    spec = open_kind(
        str(write(tmp_path, swapped((CONTROL + "\n", ""), ("server: {quantum: 5ms}\n", ""))).spec)
    ).spec
    assert [each.move_us for each in spec.used_cores.types] == [500, 500]
    assert spec.server.quantum_us == 1_000
    assert (spec.control.epoch_requests, spec.control.window_requests) == (500, 2_000)
    assert spec.control.sets == 3
    levels = "{count: 4, levels: [{speed: 1}, {speed: 2}]}"
    dvfs = swapped((AMP, f"  power_from: micro-2017-dvfs\n  dvfs: {levels}"))
    assert open_kind(str(write(tmp_path, dvfs).spec)).spec.used_cores.types[1].move_us == 90


def test_cubic_cores_have_a_quarter_of_their_dynamic_peak_as_static_power(tmp_path):
    spec = swapped(("micro-2017-amp", "cubic"))
    cores = open_kind(str(write(tmp_path, spec).spec)).spec.used_cores
    assert [each.power_ppm for each in cores.types] == [1_000_000, 8_000_000]
    assert cores.static_ppm == (5 + 2 * 8) * 1_000_000 // 4


def test_an_objective_that_never_changes_thresholds_needs_no_rates(tmp_path):
    spec = swapped(("rates: [20/s, 80/s]\n", "search: {objective: efficiency}\n"))
    assert not open_kind(str(write(tmp_path, spec).spec)).spec.is_controlled


def test_the_command_line_replaces_what_the_kind_has_and_nothing_else(tmp_path):
    spec = open_kind(str(write(tmp_path).spec)).spec
    assert spec.with_search({"objective": "tail"}).search.objective == "tail"
    assert spec.with_search({"solver": "scip"}).search.method == "mip"
    for wrong in ({"objective": "threads"}, {"max_evaluations": 3}):
        with pytest.raises(TailcError) as caught:
            spec.with_search(wrong)
        assert caught.value.findings[0].code is Code.USAGE


@pytest.mark.parametrize("name", WRITTEN)
def test_every_way_to_write_a_spec_is_accepted_and_fits_the_schema(name, tmp_path):
    loaded = open_kind(str(write(tmp_path, WRITTEN[name]).spec)).loaded
    validator = jsonschema.Draft202012Validator(spec_schema(SlowToFastSpec))
    assert not list(validator.iter_errors(plain(loaded.document.root)))


@pytest.mark.parametrize(
    "name",
    ["power in joules", "speed of 0", "count of 0", "an epoch in seconds", "a solver not known"],
)
def test_an_editor_sees_the_common_mistakes(name):
    spec = parse_document(WRONG[name][0], "service.yaml")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(plain(spec.root), spec_schema(SlowToFastSpec))
