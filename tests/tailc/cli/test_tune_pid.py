"""tailc tune pid: figures known by hand, located errors, the same bytes every time."""

import json
import math
import re
from pathlib import Path

import pytest

from tests.tailc.schemas import validate

SCHEMAS = Path(__file__).parents[3] / "schemas/report"
OUTPUT = json.loads((SCHEMAS / "output-1.schema.json").read_text())
TUNE_PID = json.loads((SCHEMAS / "tune-pid-1.schema.json").read_text())

THREE_LAGS = ("--num", "1", "--den", "1 3 3 1")
LAG_AND_DEAD_TIME = ("--num", "1", "--den", "1 1", "--dead-time", "1")


def rows_of(count=120, *, noise=0.0, step=0.25, at=20):
    """Gain 1.5, dead time 2, time constant 4, a step of 2 in row `at`."""
    lines = ["time,input,output"]
    for k in range(count):
        late = (k - at) * step - 2
        y = 40 + (3 * (1 - math.exp(-late / 4)) if late > 0 else 0.0) + noise * math.sin(k * k)
        lines.append(f"{k * step},{5 if k >= at else 3},{y}")
    return lines


def result(tailc, *arguments):
    ended = tailc("tune", "pid", *arguments, "--output-format", "json")
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)
    validate(document, OUTPUT)
    validate(document["result"], TUNE_PID)
    assert document["command"] == "tune pid"
    return document["result"]


@pytest.mark.parametrize("structure", ["pi", "pid"])
@pytest.mark.parametrize("plant", [THREE_LAGS, LAG_AND_DEAD_TIME])
@pytest.mark.parametrize("sampling", [(), ("--sample-time", "0.5")])
def test_a_transfer_function_is_tuned_within_its_limit(tailc, plant, structure, sampling):
    found = result(tailc, *plant, "--structure", structure, *sampling)
    tuned, *rules = found["loops"]
    assert tuned["margins"]["max_sensitivity"] <= 1.6
    assert [rule["name"] for rule in rules] == ["SIMC", "AMIGO", "Ziegler-Nichols"]
    assert (tuned["parallel"]["kd"] > 0) == (structure == "pid")
    assert (found["gains"]["velocity"] is not None) == bool(sampling)


def test_the_forms_of_the_gains_are_those_of_one_controller(tailc):
    found = result(tailc, *THREE_LAGS, "--structure", "pid", "--sample-time", "0.1")
    parallel, ideal, velocity = (found["gains"][f] for f in ("parallel", "ideal", "velocity"))
    assert ideal["k"] == parallel["kp"] == velocity["kp"]
    assert ideal["ti"] == pytest.approx(parallel["kp"] / parallel["ki"])
    assert ideal["td"] == pytest.approx(parallel["kd"] / parallel["kp"])
    assert velocity["ki"] == pytest.approx(parallel["ki"] * 0.1)
    assert velocity["kd"] == pytest.approx(parallel["kd"] / 0.1)


def test_a_measured_response_gives_its_plant_and_the_residual(tailc, in_folder):
    (in_folder / "r.csv").write_text("\n".join(rows_of(noise=0.02)))
    plant = result(tailc, "r.csv")["plant"]
    assert plant["num"][0] / plant["den"][-1] == pytest.approx(1.5, rel=0.01)
    assert plant["den"][0] / plant["den"][-1] == pytest.approx(4.0, rel=0.03)
    assert plant["dead_time"] == pytest.approx(2.0, abs=0.1)
    found = result(tailc, "r.csv", "--sample-time", "0.25")
    assert found["residual"] == pytest.approx(0.02 / math.sqrt(2), rel=0.2)
    assert found["plant"]["delay_samples"] == 9
    assert sum(found["plant"]["b"]) / sum(found["plant"]["a"]) == pytest.approx(1.5, rel=0.01)


def test_a_step_given_by_size_begins_at_the_first_row(tailc, in_folder):
    lines = [row.replace("output", "y").replace("time", "t") for row in rows_of()]
    kept = [lines[0], *lines[21:]]
    (in_folder / "r.csv").write_text("\n".join(kept))
    plant = result(tailc, "r.csv", "--step", "2", "--time", "t", "--output-column", "y")["plant"]
    assert plant["dead_time"] == pytest.approx(2.0, abs=0.01)
    assert plant["num"][0] == pytest.approx(1.5, rel=1e-3)


def test_units_are_printed_beside_the_gains(tailc):
    text = tailc(
        *("tune", "pid", *LAG_AND_DEAD_TIME, "--time-unit", "ms"),
        *("--input-unit", "V", "--output-unit", "K"),
    ).out
    assert "V/K/ms" in text
    assert "plant: (1) / (1 + 1 s) e^(-1 s)" in text


def test_a_tuned_loop_with_no_overshoot_allowed_has_none(tailc):
    loops = result(tailc, *LAG_AND_DEAD_TIME, "--max-overshoot", "0")["loops"]
    assert loops[0]["margins"]["overshoot"] <= 1e-3


def changed(text, row):
    lines = rows_of()
    lines[row] = text
    return lines


@pytest.mark.parametrize(
    ("lines", "code", "says"),
    [
        (changed("1.0,3,x", 5), "TC0204", "row 5, column `output`"),
        (changed("1.0,3,nan", 5), "TC0204", "row 5, column `output`"),
        (changed("1.0,3", 5), "TC0207", "row 5"),
        (changed("0.5,3,40", 5), "TC0217", "row 5, column `time`"),
        (changed("24.75,9,43", 100), "TC0221", "row 100, column `input`"),
        (rows_of(count=15), "TC0221", "never changes"),
        (rows_of(count=40), "TC0222", "not settled"),
        ([line.rpartition(",")[0] + ",7" for line in rows_of()], "TC0202", "output"),
        (["time,input,output"], "TC0201", "no rows"),
        (["a,b"], "TC0202", "time"),
    ],
)
def test_a_response_that_is_wrong_is_refused_where_it_is(tailc, in_folder, lines, code, says):
    (in_folder / "r.csv").write_text("\n".join(lines) + "\n")
    ended = tailc("tune", "pid", "r.csv", "--picture", "out.svg")
    assert (ended.code, ended.out) == (65, "")
    assert f"error[{code}]" in ended.err
    assert says in ended.err
    assert not (in_folder / "out.svg").exists()


def test_a_constant_response_is_refused(tailc, in_folder):
    lines = [rows_of()[0], *(row.rpartition(",")[0] + ",7" for row in rows_of()[1:])]
    (in_folder / "r.csv").write_text("\n".join(lines))
    ended = tailc("tune", "pid", "r.csv")
    assert ended.code == 65
    assert "constant" in ended.err


def test_rows_that_are_not_samples_apart_are_refused(tailc, in_folder):
    (in_folder / "r.csv").write_text("\n".join(rows_of()))
    ended = tailc("tune", "pid", "r.csv", "--sample-time", "0.3")
    assert ended.code == 65
    assert "row 2, column `time`" in ended.err


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--num", "1 0 0", "--den", "1 1"], 65, "degree"),
        (["--num", "1 2", "--den", "1 1"], 65, "respond at once"),
        (["--num", "0", "--den", "1 1"], 65, "numerator of a plant must not be 0"),
        (["--num", "1", "--den", "1 -1", "--dead-time", "1"], 6, "unstable"),
        (["--num", "1", "--den", "1 0 0"], 6, "two integrators"),
        (["--num", "1 0", "--den", "1 1 1"], 6, "zero at frequency 0"),
        (["--num", "1", "--den", "1 1"], 6, "arbitrarily|has no limit"),
        (["--num", "1", "--den", "1 0", "--dead-time", "1", "--max-overshoot", "0"], 6, "limits"),
        (
            ["--num", "1", "--den", "1 1", "--dead-time", "1", "--sample-time", "1e-4"],
            65,
            "samples",
        ),
    ],
)
def test_a_plant_that_cannot_be_tuned_is_told_why(tailc, in_folder, arguments, code, says):
    ended = tailc("tune", "pid", *arguments, "--picture", "out.svg")
    assert ended.code == code
    assert any(word in ended.err for word in says.split("|"))
    assert list(in_folder.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--num", "1"],
        ["--num", "1 x", "--den", "1 1"],
        ["--num", "1", "--den", "nan 1"],
        ["r.csv", "--num", "1"],
        [*THREE_LAGS, "--step", "1"],
        [*THREE_LAGS, "--max-sensitivity", "1"],
        [*THREE_LAGS, "--sample-time", "0"],
        [*THREE_LAGS, "--dead-time", "-1"],
        [*THREE_LAGS, "--picture", "out.pdf"],
        ["r.csv", "--step", "0"],
    ],
)
def test_a_command_line_that_makes_no_sense_exits_64(tailc, in_folder, arguments):
    assert tailc("tune", "pid", *arguments).code == 64


def test_a_file_that_is_not_there_exits_66(tailc, in_folder):
    assert tailc("tune", "pid", "gone.csv").code == 66


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_picture_has_the_same_bytes_every_time(tailc, in_folder, kind):
    (in_folder / "r.csv").write_text("\n".join(rows_of(noise=0.02)))
    for name in ("one", "two"):
        assert tailc("tune", "pid", "r.csv", "--picture", f"{name}.{kind}").code == 0
    one, two = ((in_folder / f"{name}.{kind}").read_bytes() for name in ("one", "two"))
    assert one == two
    assert len(one) > 10_000


def test_the_page_needs_no_library_and_has_the_data_beside_the_plant(tailc, in_folder):
    (in_folder / "r.csv").write_text("\n".join(rows_of()))
    told = tailc("tune", "pid", "r.csv")
    ended = tailc("tune", "pid", "r.csv", "--report", "page.html")
    assert (ended.code, ended.out) == (0, f"{told.out}wrote page.html\n")
    assert re.findall(r"<h3>(.*?)</h3>", (in_folder / "page.html").read_text()) == [
        "After a step of the target",
        "After a disturbance",
        "Open loop: gain (Bode)",
        "Open loop: phase (Bode)",
        "Open loop: Nyquist",
        "Measured step response and plant",
    ]


def test_the_file_has_the_pictures_of_the_page_below_the_controller(tailc, in_folder):
    words = ("--picture", "loop.svg", "--report", "page.html")
    assert tailc("tune", "pid", *THREE_LAGS, *words).code == 0
    text, page = ((in_folder / name).read_text() for name in ("loop.svg", "page.html"))
    pictures = re.findall(r"<svg [^>]*role=.*?</svg>", text)
    assert len(pictures) == 5
    assert all(picture in page for picture in pictures)
    assert re.findall(r'class="heading[^>]*>(.*?)<', text)[:2] == [
        "PI controller for (1) / (1 + 3 s + 3 s^2 + 1 s^3)", "After a step of the target"
    ]  # fmt: skip


def test_the_output_is_the_same_every_time(tailc):
    first, second = (tailc("tune", "pid", *THREE_LAGS).out for _ in range(2))
    assert first == second


def test_tune_alone_lists_what_can_be_tuned(tailc):
    assert "pid" in tailc("tune", "--help").out


@pytest.mark.parametrize("structure", ["pi", "pid"])
@pytest.mark.parametrize("lag", ["1", "300", "1e5"])
def test_no_rule_that_is_shown_and_keeps_the_limit_beats_the_tuned_loop(tailc, lag, structure):
    plant = ("--num", "1", "--den", f"{lag} 1", "--dead-time", "1")
    tuned, *rules = result(tailc, *plant, "--structure", structure)["loops"]
    for rule in rules:
        margins = rule["margins"]
        if margins is not None and margins["max_sensitivity"] <= 1.6:
            assert value(tuned["margins"]) <= value(margins)


def value(margins):
    return math.sqrt(math.sqrt(margins["itae_setpoint"]) * margins["iae_load"])


@pytest.mark.parametrize(
    "arguments",
    [
        ["--num", "1", "--den", "1e-5 1", "--dead-time", "1"],
        ["--num", "1", "--den", "1 1", "--dead-time", "1e6"],
        ["--num", "1e7", "--den", "1 1", "--dead-time", "1"],
        ["--num", "1e-9", "--den", "1 1", "--dead-time", "1"],
    ],
)
def test_a_plant_of_large_or_small_numbers_is_tuned(tailc, arguments):
    assert result(tailc, *arguments)["loops"][0]["margins"]["max_sensitivity"] <= 1.6


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (["--num", "1", "--den", "1 1", "--dead-time", "1e9"], "--dead-time"),
        (["--num", "1", "--den", "1 1", "--dead-time", "1e-300"], "--dead-time"),
        (["--num", "1e-300", "--den", "1 1", "--dead-time", "1"], "--num"),
        (["--num", "1", "--den", "1e300 1", "--dead-time", "1"], "--den"),
        ([*LAG_AND_DEAD_TIME, "--sample-time", "1e300"], "--sample-time"),
    ],
)
def test_a_plant_beyond_the_range_is_refused_where_it_is(tailc, arguments, place):
    ended = tailc("tune", "pid", *arguments)
    assert ended.code == 65
    assert "error[TC0222]" in ended.err
    assert place in ended.err


def scaled(lines, column, factor):
    rows = [line.split(",") for line in lines[1:]]
    for row in rows:
        row[column] = repr(float(row[column]) * factor)
    return "\n".join([lines[0], *map(",".join, rows)]) + "\n"


@pytest.mark.parametrize("sampling", [(), ("--sample-time", "0.25")])
@pytest.mark.parametrize(
    ("column", "factor"), [(2, 1e200), (2, 1e300), (2, 1e-200), (2, 1e-300), (1, 1e300)]
)
def test_a_response_beyond_the_range_is_refused(tailc, in_folder, column, factor, sampling):
    (in_folder / "r.csv").write_text(scaled(rows_of(), column, factor))
    ended = tailc("tune", "pid", "r.csv", *sampling)
    assert ended.code == 65
    assert "r.csv" in ended.err


def test_times_and_steps_beyond_the_range_are_refused(tailc, in_folder):
    (in_folder / "r.csv").write_text(scaled(rows_of(), 0, 1e-200))
    assert tailc("tune", "pid", "r.csv").code == 65
    (in_folder / "r.csv").write_text("\n".join(rows_of()))
    assert tailc("tune", "pid", "r.csv", "--step", "1e300").code == 65


@pytest.mark.parametrize("sampling", [(), ("--sample-time", "1")])
def test_noise_and_oscillation_are_no_plant(tailc, in_folder, sampling):
    rng = __import__("random").Random(3)
    for of in (lambda _: rng.gauss(0, 1), lambda k: math.sin(0.9 * k)):
        rows = [f"{k},{int(k >= 20)},{of(k) if k >= 20 else 0}" for k in range(120)]
        (in_folder / "r.csv").write_text("\n".join(["time,input,output", *rows]))
        ended = tailc("tune", "pid", "r.csv", *sampling)
        assert ended.code == 65
        assert "error[TC0222]" in ended.err


def test_help_names_limits_only_where_limits_are_the_cause(tailc):
    unstable = tailc("tune", "pid", "--num", "1", "--den", "1 -1", "--dead-time", "1")
    assert "--max-sensitivity" not in unstable.err
    tight = ("--num", "1", "--den", "1 0", "--dead-time", "1", "--max-overshoot", "0")
    assert "--max-sensitivity" in tailc("tune", "pid", *tight).err


def test_a_dead_time_of_0_is_the_default(tailc):
    without = tailc("tune", "pid", *THREE_LAGS)
    given = tailc("tune", "pid", *THREE_LAGS, "--dead-time", "0")
    assert (given.code, given.out) == (0, without.out)
