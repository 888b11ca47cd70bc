"""What is refused, and where; each message names the place, and a way out."""

import jsonschema
import pytest

from tailc.errors import Code, TailcError
from tailc.forms.tail_table import Level
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.spec import open_kind
from tailc.policies.rubik.levels import power_mw, volts
from tailc.policies.rubik.spec import RubikSpec
from tailc.specs.document import parse_document
from tailc.specs.json_schema import spec_schema
from tailc.specs.tree import plain
from tests.tailc.policies.rubik.case import SPEC, swapped, write
from tests.tailc.policies.rubik.spec_case import RANGE

SLEEP = "sleep: {power: 0.1W, wake: 20us}"
FEEDBACK = "feedback: {epoch: 20ms, window: 80ms}"
SLO = "{percentile: 95%, latency: 3ms}"


def with_levels(*levels: str) -> str:
    return swapped((RANGE, f"levels: [{', '.join(levels)}]"))


LOW, HIGH = "{frequency: 1GHz, power: 2W}", "{frequency: 2GHz, power: 6W}"

WRONG = {
    "frequencies out of order": (
        with_levels(HIGH, LOW),
        Code.BAD_VALUE,
        "server.levels[1].frequency",
    ),
    "a frequency twice": (with_levels(LOW, LOW), Code.BAD_VALUE, "server.levels[1].frequency"),
    "power of 0": (
        with_levels(LOW, HIGH.replace("6W", "0W")),
        Code.BAD_VALUE,
        "server.levels[1].power",
    ),
    "no unit of power": (
        with_levels(LOW, HIGH.replace("6W", "6")),
        Code.MISSING_UNIT,
        "server.levels[1].power",
    ),
    "a frequency in seconds": (
        with_levels(LOW, HIGH.replace("2GHz", "2s")),
        Code.BAD_UNIT,
        "server.levels[1].frequency",
    ),
    "a frequency of 9 GHz": (
        with_levels(LOW, HIGH.replace("2GHz", "9GHz")),
        Code.BAD_VALUE,
        "server.levels[1].frequency",
    ),
    "no frequencies": (swapped((f"  {RANGE}\n", "")), Code.MISSING_KEY, "server"),
    "two sources of frequencies": (
        swapped((RANGE, f"{RANGE}\n  levels: [{LOW}]")),
        Code.CONFLICT,
        "server.range",
    ),
    "steps that miss the highest": (
        swapped(("step: 0.2GHz", "step: 0.3GHz")),
        Code.CONFLICT,
        "server.range.to",
    ),
    "a range upside down": (
        swapped(("from: 0.8GHz, to: 3.4GHz", "from: 3.4GHz, to: 0.8GHz")),
        Code.CONFLICT,
        "server.range.to",
    ),
    "an objective for a class": (
        swapped((SLO, "{percentile: 95%, latency: 3ms, class: a}")),
        Code.CONFLICT,
        "slo[0].class",
    ),
    "a bound beyond the table": (
        swapped(("latency: 3ms", "latency: 10min")),
        Code.BAD_VALUE,
        "slo[0].latency",
    ),
    "fewer positions than convolved": (
        swapped((FEEDBACK, f"{FEEDBACK}\ntable: {{positions: 20, most_positions: 10}}")),
        Code.CONFLICT,
        "table.most_positions",
    ),
    "more convolved than there are by default": (
        swapped((FEEDBACK, f"{FEEDBACK}\ntable: {{positions: 100}}")),
        Code.CONFLICT,
        "table.positions",
    ),
    "feedback without rates": (
        swapped(("rates: [500/s, 2000/s]\n", "")),
        Code.MISSING_KEY,
        "rates",
    ),
    "a rate twice": (
        swapped(("rates: [500/s, 2000/s]", "rates: [500/s, 500/s]")),
        Code.BAD_VALUE,
        "rates[1]",
    ),
    "a window within an epoch": (
        swapped((FEEDBACK, "feedback: {epoch: 20ms, window: 10ms}")),
        Code.CONFLICT,
        "feedback.window",
    ),
    "an epoch beyond the window there is": (
        swapped((FEEDBACK, "feedback: {epoch: 2s}")),
        Code.CONFLICT,
        "feedback.epoch",
    ),
    "a target beyond the bound": (
        swapped((FEEDBACK, "feedback: {target: 101%}")),
        Code.BAD_VALUE,
        "feedback.target",
    ),
    "limits beyond the promise": (
        swapped((FEEDBACK, "feedback: {least: 110%}")),
        Code.BAD_VALUE,
        "feedback.least",
    ),
    "a bound more than doubled": (
        swapped((FEEDBACK, "feedback: {most: 300%}")),
        Code.BAD_VALUE,
        "feedback.most",
    ),
    "a wake-up longer than the bound": (
        swapped(("wake: 20us", "wake: 5ms")),
        Code.CONFLICT,
        "server.sleep.wake",
    ),
    "a wake-up as long as the bound": (
        swapped(("wake: 20us", "wake: 3ms")),
        Code.CONFLICT,
        "server.sleep.wake",
    ),
    "a wake-up longer than a bound in another unit": (
        swapped(("wake: 20us", "wake: 901us"), ("latency: 3ms", "latency: 900us")),
        Code.CONFLICT,
        "server.sleep.wake",
    ),
    "a halt longer than the bound": (
        swapped((SLEEP, f"{SLEEP}\n  transition: {{time: 5ms}}")),
        Code.CONFLICT,
        "server.transition.time",
    ),
    "a halt as long as the bound": (
        swapped((SLEEP, f"{SLEEP}\n  transition: {{time: 3000us, energy: 1uJ}}")),
        Code.CONFLICT,
        "server.transition.time",
    ),
    "a change without its time": (
        swapped((SLEEP, f"{SLEEP}\n  transition: {{energy: 5uJ}}")),
        Code.MISSING_KEY,
        "server.transition.time",
    ),
    "the energy of a change without a unit": (
        swapped((SLEEP, f"{SLEEP}\n  transition: {{time: 10us, energy: 5}}")),
        Code.MISSING_UNIT,
        "server.transition.energy",
    ),
    "the energy of a change as a power": (
        swapped((SLEEP, f"{SLEEP}\n  transition: {{time: 10us, energy: 5W}}")),
        Code.BAD_UNIT,
        "server.transition.energy",
    ),
    "a negative gain": (swapped((FEEDBACK, "feedback: {ki: -1}")), Code.BAD_VALUE, "feedback.ki"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_by_its_name_and_line(tmp_path, name):
    spec, code, path = WRONG[name]
    with pytest.raises(TailcError) as caught:
        open_kind(str(write(tmp_path, spec).spec))
    (finding,) = caught.value.findings
    assert finding.code is code
    assert f"`{path}`" in finding.message
    assert finding.place.line


def test_a_wake_up_shorter_than_the_bound_is_accepted(tmp_path):
    opened = open_kind(str(write(tmp_path, swapped(("wake: 20us", "wake: 2999us"))).spec))
    assert opened.spec.server.sleep.wake_us == 2_999


def test_cores_with_batch_work_never_sleep_so_their_wake_up_may_be_long(tmp_path):
    batch = ("feedback: {", "batch: {memory: 0%}\nfeedback: {")
    opened = open_kind(str(write(tmp_path, swapped(("wake: 20us", "wake: 5ms"), batch)).spec))
    assert opened.spec.server.sleep.wake_us == 5_000


def test_a_range_has_the_published_grid_of_fourteen_frequencies(tmp_path):
    levels = open_kind(str(write(tmp_path).spec)).spec.server.levels
    assert [level.frequency_khz for level in levels] == list(range(800_000, 3_400_001, 200_000))


def test_the_voltage_of_a_haswell_core_falls_by_less_than_thirty_per_cent():
    # 0.7275 V and 1.0315 V by hand.
    low, high = volts(800_000), volts(3_400_000)
    assert (round(float(low), 4), round(float(high), 4)) == (0.7275, 1.0315)
    assert 0.29 < 1 - low / high < 0.3


def test_power_at_the_stated_frequency_is_static_and_dynamic():
    told = {"static_mw": 500, "dynamic_mw": 6_000, "nominal_khz": 2_400_000}
    assert power_mw(2_400_000, **told) == 6_500
    # V(1.2 GHz) = 0.77428, V(2.4 GHz) = 0.91456: 500 + 6000 * (0.77428 / 0.91456)^2 / 2.
    assert power_mw(1_200_000, **told) == 2_650


def test_listed_levels_are_those_of_the_table(tmp_path):
    policy = compile_policy(str(write(tmp_path, with_levels(LOW, HIGH)).spec)).policy
    assert policy.tail_table.levels == (Level(1_000_000, 2_000), Level(2_000_000, 6_000))


def test_a_schema_accepts_what_is_accepted_and_refuses_what_is_misspelled():
    validator = jsonschema.Draft202012Validator(spec_schema(RubikSpec))
    good = plain(parse_document(SPEC, "kit.yaml").root)
    assert not list(validator.iter_errors(good))
    assert list(validator.iter_errors({**good, "sever": {}}))


def test_a_compile_overrides_nothing_that_a_rubik_policy_lacks(tmp_path):
    with pytest.raises(TailcError) as caught:
        compile_policy(str(write(tmp_path).spec), overrides={"method": "dual"})
    assert caught.value.findings[0].code is Code.USAGE


@pytest.mark.parametrize(
    ("written", "halt_us", "energy_nj"),
    [
        ("{time: 10us, energy: 5uJ}", 10, 5_000),
        ("{time: 0.5ms}", 500, 0),
        ("{time: 0us, energy: 0.02mJ}", 0, 20_000),
        ("{time: 2999us, energy: 1J}", 2_999, 10**9),
    ],
)
def test_a_change_of_frequency_costs_a_time_and_an_energy(tmp_path, written, halt_us, energy_nj):
    spec = swapped((SLEEP, f"{SLEEP}\n  transition: {written}"))
    transition = open_kind(str(write(tmp_path, spec).spec)).spec.server.transition
    assert (transition.time_us, transition.energy_nj) == (halt_us, energy_nj)


def test_by_default_a_change_of_frequency_costs_nothing(tmp_path):
    assert open_kind(str(write(tmp_path).spec)).spec.server.transition is None
