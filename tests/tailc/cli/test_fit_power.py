"""tailc fit power, on synthetic servers whose parameters are known."""

import json
from pathlib import Path

import pytest

from tests.reference.counter_traces import QUIET, TRUE, Noise
from tests.tailc.cli.fit_power_case import columns, write
from tests.tailc.schemas import validate

SCHEMAS = Path(__file__).parents[3] / "schemas" / "report"


@pytest.fixture
def folder(in_folder):
    write(in_folder, "quiet.parquet", columns(2_000, 1, QUIET))
    return in_folder


def result(ended):
    assert ended.code == 0, ended.err
    return json.loads(ended.out)["result"]


def parameters(found):
    components = found["components"].values()
    return {each["name"]: each["value"] for one in components for each in one["parameters"]}


def true_parameters():
    names = ("i", "c0", "c1", "c2", "c3", "i_u", "c_u1", "c_u2", "refresh", "d", "other")
    return dict(zip(names, (v for part in TRUE.components for v in part), strict=True))


def test_a_server_that_follows_the_model_has_its_parameters_found(folder, tailc):
    found = result(tailc("fit", "power", "quiet.parquet", "--output-format=json"))
    assert parameters(found) == pytest.approx(true_parameters(), rel=1e-6)
    assert found["server"]["mean_error_share"] < 1e-6
    assert found["rows"] == {"trained": 1_600, "tested": 400}


def test_voltages_that_are_not_measured_are_those_of_the_model(folder, tailc):
    """The synthetic server has the voltages of Haswell's line."""
    told = columns(2_000, 1, QUIET)
    write(folder, "dark.parquet", {k: v for k, v in told.items() if "volt" not in k})
    found = result(tailc("fit", "power", "dark.parquet", "--output-format=json"))
    assert found["voltage"] == {"core": "modelled", "uncore": "modelled"}
    assert parameters(found) == pytest.approx(true_parameters(), rel=1e-6)


def test_another_trace_is_predicted_as_nearly_as_published(folder, tailc):
    """1.7 % and 5.1 % of a server's power in the mean (Bartolini, 2015, section 3.7.5)."""
    for seed in (1, 2):
        write(folder, f"{seed}.parquet", columns(4_000, seed, Noise()))
    words = ("1.parquet", "--test", "2.parquet", "--output-format=json")
    found = result(tailc("fit", "power", *words))
    assert found["rows"] == {"trained": 4_000, "tested": 4_000}
    assert 0 < found["server"]["mean_error_share"] < 0.051
    assert found["server"]["long_term_share"] < 0.01


def test_the_document_is_as_its_schemas_say(folder, tailc):
    document = json.loads(tailc("fit", "power", "quiet.parquet", "--output-format=json").out)
    for name, part in (("output-1", document), ("power-model-1", document["result"])):
        validate(part, json.loads((SCHEMAS / f"{name}.schema.json").read_text()))
    assert document["command"] == "fit power"


def test_the_table_for_people_has_every_parameter_with_its_unit(folder, tailc):
    text = tailc("fit", "power", "quiet.parquet").out
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "cores i 0.9 A" in lines
    assert "c_u2 20 nF" in lines
    assert "d 14 nJ" in lines
    assert "rest other 24 W" in lines
    markdown = tailc("fit", "power", "quiet.parquet", "--output-format=markdown").out
    assert markdown.startswith("### power model of 4 cores")


def test_columns_that_go_together_are_named(folder, tailc):
    told = columns(800, 4, QUIET)
    for core in range(4):
        told[f"core{core}_near_loads"] = told[f"core{core}_ipc"] / 3
    write(folder, "alike.parquet", told)
    ended = tailc("fit", "power", "alike.parquet")
    assert ended.code == 65
    assert "TC0223" in ended.err
    assert "`c1` and `c2` cannot be separated:" in ended.err
    assert "`core*_ipc`, `core*_near_loads`" in ended.err
    assert "alike.parquet, column `core0_ipc`" in ended.err


def test_one_frequency_is_not_enough(folder, tailc):
    told = columns(160, 5, QUIET)
    write(folder, "one.parquet", told)
    ended = tailc("fit", "power", "one.parquet", "--held-out", "10%")
    assert ended.code == 65
    assert "`i` and `c0` cannot be separated:" in ended.err
    assert "at other frequencies" in ended.err


def test_a_counter_that_is_never_used_is_named(folder, tailc):
    told = columns(800, 6, QUIET)
    told["uncore_misses"] = 0 * told["uncore_misses"]
    write(folder, "idle.parquet", told)
    ended = tailc("fit", "power", "idle.parquet")
    assert ended.code == 65
    assert "the parameters `c_u2` cannot be fitted: `uncore_misses` is 0 in every row" in ended.err


def test_a_test_trace_of_another_server_is_refused(folder, tailc):
    told = columns(400, 7, QUIET)
    write(folder, "three.parquet", {k: v for k, v in told.items() if not k.startswith("core3")})
    write(folder, "dark.parquet", {k: v for k, v in told.items() if k != "uncore_volt"})
    ended = tailc("fit", "power", "quiet.parquet", "--test", "three.parquet")
    assert ended.code == 65
    assert "cores, but `" in ended.err
    ended = tailc("fit", "power", "quiet.parquet", "--test", "dark.parquet")
    assert ended.code == 65
    assert "voltages" in ended.err


@pytest.mark.parametrize("share", ["0%", "100%"])
def test_a_part_without_rows_is_refused(folder, tailc, share):
    ended = tailc("fit", "power", "quiet.parquet", "--held-out", share)
    assert ended.code == 65
    assert "a part is empty" in ended.err


def test_bad_cells_are_named_by_row(folder, tailc):
    told = columns(400, 8, QUIET)
    told["core2_freq_mhz"][17] = 0
    write(folder, "bad.parquet", told)
    ended = tailc("fit", "power", "bad.parquet")
    assert ended.code == 65
    assert "bad.parquet, row 18, column `core2_freq_mhz`" in ended.err


def test_two_ways_to_test_are_refused(folder, tailc):
    words = ("quiet.parquet", "--test", "quiet.parquet", "--held-out", "10%")
    ended = tailc("fit", "power", *words)
    assert ended.code == 64
    assert "--held-out" in ended.err


def test_fit_alone_lists_what_can_be_fitted(tailc):
    assert "power" in tailc("fit", "--help").out
