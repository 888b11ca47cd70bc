"""Powers by a model that `tailc fit power` printed.

The model has i = 1 A, c0 = 0.5 nF, c1 = 1 nF, c2 = 2 nF and c3 = 10 nF. The solver's own prediction
for the counters of a core is what powers are compared with.
"""

import json

import numpy as np
import pytest
from tailc_solvers.power.model import CounterPowerModel, PowerCounters

from tailc.errors import Code, Severity, TailcError
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.spec import open_kind
from tests.reference.counter_traces import QUIET
from tests.tailc.cli.fit_power_case import columns
from tests.tailc.cli.fit_power_case import write as write_trace
from tests.tailc.policies.rubik.case import swapped, write
from tests.tailc.policies.rubik.spec_case import POWER, RANGE

PARAMETERS = {
    "core": {"i": (1, "A"), "c0": (0.5, "nF"), "c1": (1, "nF"), "c2": (2, "nF"), "c3": (10, "nF")},
    "uncore": {"i_u": (2.5, "A"), "c_u1": (8, "nF"), "c_u2": (18, "nF")},
    "dram": {"refresh": (1.8, "W"), "d": (12, "nJ")},
    "rest": {"other": (22, "W")},
}
ACCURACY = {"mean_error_w": 0.1, "mean_error_share": 0.01, "long_term_share": 0.001}
FREQUENCIES_MHZ = np.array([1_200.0, 2_400.0])
VOLTS = 1.169e-4 * FREQUENCIES_MHZ + 0.634
LISTED = "levels: [{frequency: 1.2GHz}, {frequency: 2.4GHz}]"
COUNTERS = "counters: {ipc: 1.2, near_loads: 0.3, far_accesses: 0.02}"
MODEL = f"model: {{file: model.json, {COUNTERS}, memory: 25%}}"
NAMED = (RANGE, f"{LISTED}\n  {MODEL}")
BATCH = "batch: {memory: 50%, counters: {ipc: 0.6, near_loads: 0.1, far_accesses: 0.05}}"
WITH_BATCH = ("feedback: {", f"{BATCH}\nfeedback: {{")


def model(**changed):
    """The bare model; `changed` replaces parts of it, None leaves one out."""
    components = {
        name: {
            "parameters": [
                {"name": key, "value": value, "unit": unit} for key, (value, unit) in told.items()
            ],
            "residual_w": 0.1,
            "condition": 12,
            **ACCURACY,
        }
        for name, told in PARAMETERS.items()
    }
    whole = {
        "format": "tailc-power-model",
        "version": 1,
        "cores": 4,
        "voltage": {"core": "modelled", "uncore": "modelled"},
        "rows": {"trained": 80, "tested": 20},
        "components": components,
        "server": ACCURACY,
    } | changed
    return {key: part for key, part in whole.items() if part is not None}


MEASURED = model(voltage={"core": "measured", "uncore": "modelled"})


def wrote(folder, told, *changes):
    text = told if isinstance(told, str) else json.dumps(told, indent=2)
    (folder / "model.json").write_text(text)
    return str(write(folder, swapped(NAMED, *changes)).spec)


def powers(folder, told, *changes):
    spec = open_kind(wrote(folder, told, *changes)).spec
    return [level.power_mw for level in spec.server.levels]


def predicted_mw(ipc, near_loads, far_accesses, memory, volts=VOLTS):
    """A core by itself, its counters by cycle fewer where more cycles wait for memory."""
    cycles = 1 - memory + memory * FREQUENCIES_MHZ / 2_400
    nothing = np.zeros(2)
    by_core = (events / cycles for events in (ipc, near_loads, far_accesses))
    counters = PowerCounters(
        volts[:, None],
        FREQUENCIES_MHZ[:, None] / 1_000,
        *(events[:, None] for events in by_core),
        *[nothing] * 5,
    )
    core, *others = ([value for value, _ in told.values()] for told in PARAMETERS.values())
    told = CounterPowerModel(tuple(core), *(tuple(part) for part in others))
    return pytest.approx(1_000 * told.predict(counters).core, abs=0.51)


def refused(folder, told, *changes):
    with pytest.raises(TailcError) as caught:
        open_kind(wrote(folder, told, *changes))
    (finding,) = caught.value.findings
    return finding


def test_a_core_at_its_clock_draws_what_its_counters_say(tmp_path):
    # 1 A at 0.91456 V, and 0.5 + 1.2 + 0.6 + 0.2 = 2.5 nF at 0.91456^2 V^2 and 2.4 GHz.
    volt = 0.91456
    assert powers(tmp_path, model())[1] == round(1_000 * (volt + 2.5 * volt**2 * 2.4))


def test_waiting_for_memory_counts_less_by_cycle_at_a_higher_frequency(tmp_path):
    assert powers(tmp_path, model()) == predicted_mw(1.2, 0.3, 0.02, 0.25)


def test_batch_work_draws_by_counters_of_its_own(tmp_path):
    spec = open_kind(wrote(tmp_path, model(), WITH_BATCH)).spec
    assert list(spec.batch.draws.listed_mw) == predicted_mw(0.6, 0.1, 0.05, 0.5)


def test_batch_counters_go_by_the_memory_time_that_instructions_per_cycle_tell(tmp_path):
    # 1 and 4 / 3 cycles an instruction: half of them wait at 2.4 GHz.
    ipc = "ipc: [{frequency: 1.2GHz, ipc: 1}, {frequency: 2.4GHz, ipc: 0.75}]"
    changes = (WITH_BATCH[0], WITH_BATCH[1].replace("memory: 50%", ipc))
    spec = open_kind(wrote(tmp_path, model(), changes)).spec
    assert list(spec.batch.draws.listed_mw) == predicted_mw(0.6, 0.1, 0.05, 0.5)


def test_a_range_has_powers_by_the_model_too(tmp_path):
    steps = "range: {from: 1.2GHz, to: 2.4GHz, step: 1.2GHz}"
    assert powers(tmp_path, model(), (LISTED, steps)) == powers(tmp_path, model())


def test_what_the_command_printed_is_read_whole(tmp_path):
    printed = {"format": "tailc-output", "version": 1, "command": "fit power", "exit_code": 0}
    told = printed | {"findings": [], "result": model()}
    assert powers(tmp_path, told) == powers(tmp_path, model())


def test_measured_voltages_are_told_by_the_spec(tmp_path):
    with_volts = ("memory: 25%}", "memory: 25%, volts: [0.8, 1.1]}")
    found = powers(tmp_path, MEASURED, with_volts)
    assert found == predicted_mw(1.2, 0.3, 0.02, 0.25, volts=np.array([0.8, 1.1]))


def test_voltages_at_which_a_higher_frequency_draws_less_are_warned_of(tmp_path):
    with_volts = ("memory: 25%}", "memory: 25%, volts: [1.5, 0.7]}")
    (first, *_) = open_kind(wrote(tmp_path, MEASURED, with_volts, WITH_BATCH)).warnings
    (*_, last) = open_kind(wrote(tmp_path, MEASURED, with_volts, WITH_BATCH)).warnings
    for finding, begins in ((first, "model:"), (last, "batch:")):
        assert (finding.code, finding.severity) == (Code.POWER_FALLS, Severity.WARNING)
        assert finding.place.excerpt.strip().startswith(begins)


def test_a_policy_by_the_model_is_that_with_the_same_powers_written_out(tmp_path):
    changes = (WITH_BATCH,)
    spec = open_kind(wrote(tmp_path, model(), *changes)).spec
    found = compile_policy(wrote(tmp_path, model(), *changes)).policy
    low, high = (level.power_mw for level in spec.server.levels)
    listed = f"[{{frequency: 1.2GHz, power: {low}mW}}, {{frequency: 2.4GHz, power: {high}mW}}]"
    own = ", ".join(f"{power}mW" for power in spec.batch.draws.listed_mw)
    batch = f"batch: {{memory: 50%, powers: [{own}]}}\nfeedback: {{"
    text = swapped((RANGE, f"levels: {listed}"), ("feedback: {", batch))
    plain = compile_policy(str(write(tmp_path, text).spec)).policy
    assert found.tail_table == plain.tail_table
    assert found.evidence.settings == plain.evidence.settings


def test_a_fit_is_compiled_and_sized_by_commands_alone(in_folder, tailc):
    """From counters to a policy and to a fleet, on a synthetic server that follows the model."""
    write_trace(in_folder, "counters.parquet", columns(2_000, 1, QUIET))
    ended = tailc("fit", "power", "counters.parquet", "--output-format=json")
    volts = ("memory: 25%}", "memory: 25%, volts: [0.774, 0.915]}")
    beside = ("  sleep:", "  uncore: 6W\n  rest: 24W\n  sleep:")
    wrote(in_folder, ended.out, volts, WITH_BATCH, beside)
    compiled = tailc("compile", "service.yaml", "-o", "policy", "--output-format=json")
    assert compiled.code == 0, compiled.err
    policy = json.loads((in_folder / "policy.json").read_text())
    low, high = (level["power_mw"] for level in policy["forms"][0]["levels"])
    assert 0 < low < high
    words = ("--servers", "3", "--batch", "1", "--requests", "2000", "--output-format=json")
    sized = tailc("size", "colocation", "service.yaml", *words)
    assert sized.code == 0, sized.err
    curve = json.loads(sized.out)["result"]["curve"]
    # Two cores, asleep but for the time that requests take.
    assert 30_000 + 200 <= curve[0]["power_mw"] <= 30_000 + 2 * high


def without(key):
    """The core's component without one of its keys."""
    told = model()
    del told["components"]["core"][key]
    return told


def with_parameters(change):
    told = model()
    change(told["components"]["core"]["parameters"])
    return told


def renamed(parameters):
    parameters[4]["name"] = "c4"


def in_farads(parameters):
    parameters[1]["unit"] = "F"


def negative(parameters):
    parameters[0]["value"] = -1


def as_text(parameters):
    parameters[0]["value"] = "1 A"


CHECKED = {"format": "tailc-output", "version": 1, "command": "check", "result": {}}
WRONG_FILES = {
    "a CSV": ("time_s,core_w\n0,1\n", Code.BAD_VALUE, "not a power model"),
    "nothing": ("", Code.SYNTAX, "not a power model"),
    "a list": ("[1, 2]\n", Code.BAD_VALUE, "not a power model"),
    "what another command printed": (CHECKED, Code.BAD_VALUE, "the output of `check`"),
    "a fit that failed": (
        CHECKED | {"command": "fit power"},
        Code.BAD_VALUE,
        "has no power model",
    ),
    "another document": ({"format": "tailc-table"}, Code.BAD_VALUE, "has the format `tailc-table`"),
    "no format": (model(format=None), Code.BAD_VALUE, "has no `format`"),
    "another version": (model(version=2), Code.BAD_VALUE, "version `2`"),
    "no version": (model(version=None), Code.BAD_VALUE, "version nothing"),
    "a version that is true": (model(version=True), Code.BAD_VALUE, "version `true`"),
    "a part missing": (model(rows=None), Code.MISSING_KEY, "`rows` is missing"),
    "a part too many": (model(colour=1), Code.UNKNOWN_KEY, "`colour` is not a known key"),
    "a residual missing": (
        without("residual_w"),
        Code.MISSING_KEY,
        "`components.core.residual_w` is missing",
    ),
    "another parameter": (with_parameters(renamed), Code.BAD_VALUE, "`c3` in nF"),
    "another unit": (with_parameters(in_farads), Code.BAD_VALUE, "`c0` in nF"),
    "a parameter missing": (with_parameters(list.pop), Code.BAD_VALUE, "`c3` in nF"),
    "a negative parameter": (with_parameters(negative), Code.BAD_VALUE, "parameters[0].value"),
    "a parameter as text": (with_parameters(as_text), Code.BAD_VALUE, "parameters[0].value"),
    "another voltage": (
        model(voltage={"core": "guessed", "uncore": "modelled"}),
        Code.BAD_VALUE,
        "`voltage.core`",
    ),
}


@pytest.mark.parametrize("case", WRONG_FILES, ids=str)
def test_a_file_that_is_no_whole_model_is_refused_where_it_is_wrong(tmp_path, case):
    told, code, says = WRONG_FILES[case]
    finding = refused(tmp_path, told)
    assert finding.code is code
    assert says in finding.message
    assert finding.place.source.endswith("model.json")
    assert finding.place.line is not None
    assert "tailc fit power" in finding.help
    assert "service.yaml" in finding.help


def test_a_file_that_is_not_there_is_refused_with_the_line_that_names_it(tmp_path):
    finding = refused(tmp_path, model(), ("file: model.json", "file: none.json"))
    assert finding.code is Code.CANNOT_READ
    assert "none.json" in finding.message
    assert "service.yaml" in finding.help


LINE = f"  {MODEL}\n"
WRONG_SPECS = {
    "no model": ((LINE, ""), Code.MISSING_KEY, "server.levels[0].power", "server.model"),
    "two tellers": (
        ("{frequency: 1.2GHz}", "{frequency: 1.2GHz, power: 2W}"),
        Code.CONFLICT,
        "server.levels[0].power",
        "remove one",
    ),
    "a range with powers": (
        (LISTED, f"range: {{from: 1GHz, to: 2GHz, step: 1GHz, power: {POWER}}}"),
        Code.CONFLICT,
        "server.range.power",
        "remove one",
    ),
    "a table with powers": (
        (
            LISTED,
            "table: {file: a.csv, frequency: f, frequency_unit: MHz, power: p, power_unit: W}",
        ),
        Code.CONFLICT,
        "server.table",
        "remove one",
    ),
    "a negative counter": (
        ("near_loads: 0.3", "near_loads: -0.3"),
        Code.BAD_VALUE,
        "server.model.counters.near_loads",
        "0.3",
    ),
    "an instruction rate": (
        ("ipc: 1.2", "ipc: 1.2e9"),
        Code.BAD_VALUE,
        "server.model.counters.ipc",
        "0.3",
    ),
    "no counter": (
        (", far_accesses: 0.02", ""),
        Code.MISSING_KEY,
        "server.model.counters.far_accesses",
        "0.01",
    ),
    "no share of memory": ((", memory: 25%", ""), Code.MISSING_KEY, "server.model.memory", "30%"),
    "volts as millivolts": (
        ("memory: 25%}", "memory: 25%, volts: [774, 915]}"),
        Code.BAD_VALUE,
        "server.model.volts",
        "0.95",
    ),
    "volts of a modelled voltage": (
        ("memory: 25%}", "memory: 25%, volts: [0.8, 1]}"),
        Code.CONFLICT,
        "server.model.volts",
        "remove",
    ),
    "two powers of batch work": (
        (WITH_BATCH[0], WITH_BATCH[1].replace("memory: 50%", "memory: 50%, powers: [1W, 2W]")),
        Code.CONFLICT,
        "batch.counters",
        "remove one",
    ),
}


@pytest.mark.parametrize("case", WRONG_SPECS, ids=str)
def test_a_spec_that_does_not_fit_a_model_is_refused_where_it_stands(tmp_path, case):
    change, code, where, hint = WRONG_SPECS[case]
    with pytest.raises(TailcError) as caught:
        open_kind(wrote(tmp_path, model(), change))
    finding = caught.value.findings[0]
    assert finding.code is code
    assert where in finding.message
    assert finding.place.source.endswith("service.yaml")
    assert finding.place.line is not None
    assert hint in finding.help


@pytest.mark.parametrize(
    ("changes", "code", "says"),
    [
        ((), Code.MISSING_KEY, "measured voltages"),
        ((("memory: 25%}", "memory: 25%, volts: [0.8]}"),), Code.CONFLICT, "1 voltage"),
    ],
)
def test_measured_voltages_are_asked_for_at_every_frequency(tmp_path, changes, code, says):
    finding = refused(tmp_path, MEASURED, *changes)
    assert finding.code is code
    assert says in finding.message
    assert finding.place.line is not None
    assert "for each frequency" in finding.help


def test_counters_of_batch_work_without_a_model_are_refused(tmp_path):
    text = swapped(WITH_BATCH)
    with pytest.raises(TailcError) as caught:
        open_kind(str(write(tmp_path, text).spec))
    (finding,) = caught.value.findings
    assert finding.code is Code.CONFLICT
    assert "batch.counters" in finding.message
    assert "server.model" in finding.help
