"""tailc fit arrivals, on streams whose process is known."""

import json
from pathlib import Path

import numpy as np
import pytest

from tailc.cli.quantities import ARRIVALS
from tailc.replay import streams
from tailc.replay.modulated import Burstiness, Modulated
from tests.tailc.schemas import validate

SCHEMAS = Path(__file__).parents[3] / "schemas" / "report"
MADE = Modulated(40_000, Burstiness(8_000_000, 2_000_000))


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
    burstiness = Burstiness(found["idc_ppm"], found["spell_us"], found["busy_ppm"])
    assert ARRIVALS.convert(found["words"], None, None) == Modulated(found["rate_mrps"], burstiness)
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


def test_too_few_arrivals_are_refused(tailc, in_folder):
    (in_folder / "few.csv").write_text("at\n" + "".join(f"{i}\n" for i in range(40)))
    ended = tailc("fit", "arrivals", "few.csv", "--time", "at", "--arrival-unit", "s")
    assert ended.code == 65
    assert "40 arrivals are too few to tell how they come in bursts" in ended.err
    assert "few.csv, column `at`" in ended.err


def test_a_silence_has_to_be_explained(tailc, in_folder):
    times_s = np.concatenate([np.arange(300), 40_000 + np.arange(300)])
    (in_folder / "pause.csv").write_text("at\n" + "".join(f"{t}\n" for t in times_s))
    words = ("pause.csv", "--time", "at", "--arrival-unit", "s")
    assert tailc("fit", "arrivals", *words).code == 65
    closed = fitted(tailc, *words, "--gaps", "close")
    assert closed["result"]["span_us"] == 599_000_000
    assert [finding["severity"] for finding in closed["findings"]] == ["warning"]
