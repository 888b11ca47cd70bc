"""tailc fit arrivals, on streams whose process is known."""

import json
from pathlib import Path

import numpy as np
import pytest

from tailc.cli.quantities import ARRIVALS
from tailc.models import streams
from tailc.models.diurnal import Diurnal
from tailc.models.modulated_arrivals import Burstiness, ModulatedArrivals
from tailc.percentiles import PPM
from tests.tailc.schemas import validate

SCHEMAS = Path(__file__).parents[3] / "schemas" / "report"
MADE = ModulatedArrivals(40_000, Burstiness(8_000_000, 2_000_000))


@pytest.fixture
def recording(in_folder):
    times_ns = MADE.arrival_ns(streams.stream(2), 60_000)
    rows = "".join(f"{time}\n" for time in times_ns)
    (in_folder / "day.csv").write_text("at\n" + rows)
    return ("day.csv", "--time", "at", "--arrival-unit", "ns")


def fitted(tailc, *words):
    ended = tailc("fit", "arrivals", *words, "--output-format", "json")
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


def test_the_document_is_as_its_schemas_say(tailc, recording):
    document = fitted(tailc, *recording)
    for name, part in (("output-1", document), ("arrivals-fit-1", document["result"])):
        validate(part, json.loads((SCHEMAS / f"{name}.schema.json").read_text()))
    assert document["command"] == "fit arrivals"
    assert document["result"]["arrivals"] == 60_000


def test_the_words_make_the_fitted_process(tailc, recording):
    found = fitted(tailc, *recording)["result"]
    burstiness = Burstiness(found["idc_ppm"], found["burst_us"], found["busy_ppm"])
    assert ARRIVALS.convert(found["option"], None, None) == ModulatedArrivals(
        found["rate_mrps"], burstiness
    )
    # 1,500 s are 150 cycles of spells
    assert 5_000_000 < found["idc_ppm"] < 12_000_000
    assert found["rate_mrps"] == pytest.approx(40_000, rel=0.05)


def test_people_read_the_index_by_window_and_the_words(tailc, recording):
    text = tailc("fit", "arrivals", *recording).out
    assert text.startswith("60,000 arrivals in 1,")
    lines = [line.split() for line in text.splitlines()]
    assert ["window", "windows", "IDC", "fitted"] in lines
    assert text.splitlines()[-1].startswith("--arrivals bursty:idc=")
    markdown = tailc("fit", "arrivals", *recording, "--output-format", "markdown").out
    assert markdown.startswith("### 60,000 arrivals")


def test_a_recording_of_a_day_is_told_by_the_hour_too(tailc, recording, in_folder):
    """A request a minute from the first hour on, and none in the hours from the twelfth on."""
    assert fitted(tailc, *recording)["result"]["day_option"] is None
    times = (f"{day * 86_400 + minute * 60}\n" for day in range(3) for minute in range(720))
    (in_folder / "days.csv").write_text("at\n" + "".join(times))
    words = ("days.csv", "--time", "at", "--arrival-unit", "s", "--gaps", "keep")
    found = fitted(tailc, *words)["result"]["day_option"]
    day = ARRIVALS.convert(found, None, None)
    assert isinstance(day, Diurnal)
    # Half of the day has all of the requests; the hours around its ends have half of them in it.
    assert day.curve.levels_ppm == (PPM, *(2 * PPM,) * 11, PPM, *(0,) * 11)
    assert f"\n--arrivals {found}\n" in tailc("fit", "arrivals", *words).out


def test_too_few_arrivals_are_refused(tailc, in_folder):
    (in_folder / "few.csv").write_text("at\n" + "".join(f"{i}\n" for i in range(40)))
    ended = tailc("fit", "arrivals", "few.csv", "--time", "at", "--arrival-unit", "s")
    assert ended.code == 65
    assert "40 arrivals are too few to measure burstiness" in ended.err
    assert "few.csv, column `at`" in ended.err


@pytest.mark.parametrize(
    ("spacing_us", "count", "told", "least"),
    [
        (10, 5_000, "0.05 s", "0.15 s"),
        (1, 100_000, "0.1 s", "0.15 s"),
        (900, 60, "0.0531 s", "0.15 s"),
    ],
)
def test_a_recording_too_short_in_time_is_told_as_that(
    tailc, in_folder, spacing_us, count, told, least
):
    rows = "".join(f"{at * spacing_us}\n" for at in range(count))
    (in_folder / "fast.csv").write_text("at\n" + rows)
    ended = tailc("fit", "arrivals", "fast.csv", "--time", "at", "--arrival-unit", "us")
    assert ended.code == 65
    assert f"a recording of {told} is too short" in ended.err
    assert f"give a recording of at least {least}" in ended.err


def test_a_silence_has_to_be_explained(tailc, in_folder):
    times_s = np.concatenate([np.arange(300), 40_000 + np.arange(300)])
    (in_folder / "pause.csv").write_text("at\n" + "".join(f"{t}\n" for t in times_s))
    words = ("pause.csv", "--time", "at", "--arrival-unit", "s")
    assert tailc("fit", "arrivals", *words).code == 65
    closed = fitted(tailc, *words, "--gaps", "close")
    assert closed["result"]["span_us"] == 599_000_000
    assert [finding["severity"] for finding in closed["findings"]] == ["warning"]
