"""Verdicts of tail tables, in every form."""

import dataclasses
import json
from pathlib import Path

from tailc.experiment.point import Run
from tailc.models.core_queues.usage import BatchWorkUse, ClockUse, CoreQueuesUse, LevelUse
from tailc.models.energy import ControlUse, EnergyRatio, EnergyUse, TypeUse
from tailc.report.github import as_github
from tailc.report.verdict import as_dict, as_markdown, as_text, ci_verdicts
from tailc.verify.verdict import Verdicts
from tests.tailc.report.verdicts_made import MEETS, MISSES, point, run, verdicts
from tests.tailc.schemas import validate

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "schemas/report/verdict-2.schema.json").read_text()
)
WIDEST = 100


def with_clocks(one: Run, relative_ppm: int, use: ClockUse, control: ControlUse | None) -> Run:
    ratio, types = EnergyRatio(relative_ppm, relative_ppm), (TypeUse("cores", 467_000),)
    energy = EnergyUse(2_760, (2_750, 2_770), 180, types, ratio)
    return dataclasses.replace(one, usage=CoreQueuesUse(energy, control, use))


def use(power_mw: int, *shares_ppm: int, batch: BatchWorkUse | None = None) -> ClockUse:
    khz = (800_000, 1_600_000)
    levels = tuple(LevelUse(*pair) for pair in zip(khz, shares_ppm, strict=True))
    mean_khz = sum(f * share for f, share in zip(khz, shares_ppm, strict=True)) // 1_000_000
    return ClockUse(power_mw, mean_khz, levels, batch, None)


def made(batch: BatchWorkUse | None = None) -> Verdicts:
    policy = with_clocks(
        run("ours", MEETS),
        600_000,
        use(1_766, 750_000, 250_000, batch=batch),
        ControlUse(1_138_000, 1_130_000, 1_147_000),
    )
    fixed = with_clocks(
        run("fixed", MISSES, note="1.6 GHz"),
        1_000_000,
        use(2_943, 0, 1_000_000, batch=batch),
        None,
    )
    where = dataclasses.replace(point("600/s", policy, fixed), reference="fixed")
    return dataclasses.replace(verdicts(where), drift=None)


def test_text_tells_power_frequencies_and_the_output():
    said = as_text(made())
    tables = said[said.index("\nat 600/s") + 1 : said.index("Times in ms")]
    assert tables == (
        "at 600/s          p99   policy  verdict   mean    n  energy  95 % interval  idle"
        "  relative   cores\n"
        "policy          352.0           pass     109.0  4.4    2.76  2.75 .. 2.77   0.18"
        "    60.0 %  46.7 %\n"
        "fixed, 1.6 GHz  880.1  -60.0 %  fail     109.0  4.4    2.76  2.75 .. 2.77   0.18"
        "   100.0 %  46.7 %\n"
        "\n"
        "at 600/s          power  frequency   output  nine in ten\n"
        "policy          1.766 W   1.00 GHz  113.8 %  113.0 % .. 114.7 %\n"
        "fixed, 1.6 GHz  2.943 W   1.60 GHz        -\n"
        "\n"
    )


def test_text_tells_the_share_of_time_at_each_frequency():
    said = as_text(made())
    start = said.index("share of the time of busy cores")
    assert said[start:].startswith(
        "share of the time of busy cores at each frequency\n"
        "at 600/s        800 MHz  1.6 GHz\n"
        "policy           75.0 %   25.0 %\n"
        "fixed, 1.6 GHz    0.0 %  100.0 %\n"
    )
    assert max(map(len, said.splitlines())) <= WIDEST


def test_batch_work_has_a_column_where_there_is_some():
    assert "frequency   batch" not in as_text(made())
    said = as_text(made(BatchWorkUse(533_000, 20_580_000_000)))
    assert "frequency   batch  J/work " in said
    assert "1.00 GHz  53.3 %   20.58 " in said
    assert max(map(len, said.splitlines())) <= WIDEST


def test_other_forms_tell_the_same():
    assert "| policy | 75.0 % | 25.0 % |" in as_markdown(made())
    assert "energy 60.0 %25 of fixed" in as_github((), [each.note for each in ci_verdicts(made())])
    for verdicts_ in (made(), made(BatchWorkUse(1, 1))):
        validate(json.loads(json.dumps(as_dict(verdicts_))), SCHEMA)
    clocks = as_dict(made())["points"][0]["policy"]["clocks"]
    assert clocks == {
        "power_mw": 1_766,
        "frequency_khz": 1_000_000,
        "levels": [
            {"frequency_khz": 800_000, "share_ppm": 750_000},
            {"frequency_khz": 1_600_000, "share_ppm": 250_000},
        ],
        "batch_ppm": None,
        "batch_work_nj": None,
        "limited": None,
    }
