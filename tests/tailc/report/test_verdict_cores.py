"""Verdicts of policies on whole cores, in every form."""

import dataclasses
import json
from pathlib import Path

from tailc.experiment.point import Run
from tailc.experiment.spike import Spike, WindowTail
from tailc.models.core_types.usage import CoreTypesUse
from tailc.models.energy import ControlUse, EnergyRatio, EnergyUse, TypeUse
from tailc.models.smt.idle import IdlePeriods, IdleUse
from tailc.models.smt.usage import SmtUse
from tailc.report.github import as_github
from tailc.report.verdict import as_dict, as_markdown, as_text, ci_verdicts
from tailc.verify.verdict import Verdicts
from tests.tailc.report.verdicts_made import MEETS, MISSES, UNSURE, point, run, verdicts
from tests.tailc.schemas import validate

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "schemas/report/verdict-2.schema.json").read_text()
)
WIDEST = 100


def used(request_us: int, ratio: EnergyRatio | None, *busy: int) -> EnergyUse:
    types = tuple(
        TypeUse(name, share) for name, share in zip(("slow cores", "fast cores"), busy, strict=True)
    )
    low, high = request_us - 1_500, request_us + 1_500
    return EnergyUse(request_us, (low, high), 4_600, types, ratio)


def on_cores(one: Run, energy: EnergyUse, control: ControlUse | None = None, *spikes: Spike) -> Run:
    return dataclasses.replace(one, usage=CoreTypesUse(energy, control), spikes=spikes)


SPIKES = (
    Spike("10/s", 185_000, WindowTail(76_000, 0, 4)),
    Spike("50/s", 203_300, WindowTail(544_000, 123_000, 11)),
    Spike("10/s", None, None),
)
POLICY = on_cores(
    run("amp", MEETS),
    used(151_400, EnergyRatio(512_000, 673_000), 133_000, 152_000),
    ControlUse(832_000, 400_000, 1_000_000),
    *SPIKES,
)
TL = on_cores(
    run("TL", UNSURE),
    used(295_400, EnergyRatio(1_000_000, 1_000_000), 17_000, 528_000),
    None,
    *SPIKES,
)
RC = on_cores(run("RC", MISSES, note="threshold 206 ms"), used(9_280, None, 178_000, 0))


def made(**changed) -> Verdicts:
    where = point("profile of 3 steps, 10/s to 50/s", POLICY, TL, RC)
    return dataclasses.replace(
        verdicts(dataclasses.replace(where, reference="TL")), drift=None, **changed
    )


def test_text_tells_energy_types_outputs_and_spikes():
    said = as_text(made(other_power_ppm=330_000), ["slow", "fast"])
    tables = said[said.index("\nat profile of") + 1 : said.index("Times in ms")]
    assert tables == (
        "at profile of 3 steps, 10/s to 50/s\n"
        "                        p99   policy  verdict     mean    n\n"
        "policy                352.0           pass       109.0  4.4\n"
        "TL                    476.1  -26.1 %  undecided  109.0  4.4\n"
        "RC, threshold 206 ms  880.1  -60.0 %  fail       109.0  4.4\n"
        "\n"
        "at profile of 3 steps, 10/s to 50/s\n"
        "                      energy  95 % interval     idle  relative   server"
        "  slow cores  fast cores\n"
        "policy                151.40  149.90 .. 152.90  4.60    51.2 %   67.3 %"
        "      13.3 %      15.2 %\n"
        "TL                    295.40  293.90 .. 296.90  4.60   100.0 %  100.0 %"
        "       1.7 %      52.8 %\n"
        "RC, threshold 206 ms    9.28  7.78 .. 10.78     4.60         -        -"
        "      17.8 %       0.0 %\n"
        "\n"
        "at profile of 3 steps, 10/s to 50/s\n"
        "                      output  nine in ten\n"
        "policy                83.2 %  40.0 % .. 100.0 %\n"
        "TL                         -\n"
        "RC, threshold 206 ms       -\n"
        "\n"
    )


def test_the_energy_s_digits_are_three_of_the_least():
    said = as_text(made())
    assert "151.40  149.90 .. 152.90" in said
    assert "9.28" in said


def test_without_other_power_no_server_is_told():
    assert "server:" not in as_text(made())
    assert "server:" in as_text(made(other_power_ppm=330_000))
    assert "33.0 % of its power is not that of cores" in as_text(made(other_power_ppm=330_000))


def test_requests_on_cores_have_no_threads():
    said = as_text(made(), ["slow", "fast"])
    assert "threads" not in said
    assert "thread time" not in said
    assert "rung of the policy's requests at their exit" in said


def test_what_is_not_relative_and_not_steered_is_a_dash():
    lines = as_text(made()).splitlines()
    rows = [line.split() for line in lines if line.startswith("RC, threshold 206 ms")]
    assert rows[1][-5:] == ["-", "17.8", "%", "0.0", "%"]
    assert rows[2][-1] == "-"


def test_spikes_have_a_row_for_each_stretch_and_subject():
    said = as_text(made())
    lines = said[said.index("stretches of a constant rate") :].splitlines()[2:9]
    assert lines[0].split() == [
        "stretch", "at", "profile", "of", "3", "steps,", "10/s", "to", "50/s",
        "p99", "over", "overshoot", "settled", "after",
    ]  # fmt: skip
    assert lines[1].split() == ["1:", "10/s", "policy", "185.0", "7.6", "%", "0.0", "%", "4"]
    assert lines[4].split() == ["2:", "50/s", "TL", "203.3", "54.4", "%", "12.3", "%", "11"]
    assert lines[5].split() == ["3:", "10/s", "policy", "-", "-", "-", "-"]


def test_text_fits_a_terminal():
    for said in (as_text(made()), as_text(made(other_power_ppm=330_000))):
        assert max(map(len, said.splitlines())) <= WIDEST


def test_json_follows_the_schema():
    said = json.loads(json.dumps(as_dict(made(other_power_ppm=330_000, settling_requests=12_000))))
    validate(said, SCHEMA)
    one = said["points"][0]
    assert one["reference"] == "TL"
    assert one["policy"]["cores"]["types"][1] == {"name": "fast cores", "utilization_ppm": 152_000}
    assert one["policy"]["control"] == {
        "mean_ppm": 832_000, "low_ppm": 400_000, "high_ppm": 1_000_000,
    }  # fmt: skip
    assert one["policy"]["spikes"][1]["settling_epochs"] == 11
    assert one["baselines"][1]["cores"]["relative_ppm"] is None
    assert said["replay"]["settling_requests"] == 12_000


def test_markdown_folds_energy_and_spikes_out():
    said = as_markdown(made(other_power_ppm=330_000))
    details = said[said.index("<details>") : said.index("</details>")]
    assert "| policy | 352.0 |" in details
    assert "151.40" in details
    assert "| 2: 50/s | policy | 203.3 | 54.4 % | 12.3 % | 11 |" in details
    assert "relative: energy, free cores included, over that of TL." in details


def test_annotations_and_cases_tell_the_energy_in_a_word():
    # GitHub wants a percent sign written out
    assert "energy 51.2 %25 of TL" in as_github((), [each.note for each in ci_verdicts(made())])
    assert "energy 51.2 % of TL" in next(each.test_case for each in ci_verdicts(made())).message
    threads = verdicts(point("30/s", run("websearch", MEETS), run("SEQ", MISSES)))
    assert "energy" not in as_github((), [each.note for each in ci_verdicts(threads)])


IDLE = IdleUse(
    760_000,
    (
        IdlePeriods(5_000, 40_000, 300_000),
        IdlePeriods(15_000, 160_000, 300_000),
        IdlePeriods(50_000, 450_000, 300_000),
        IdlePeriods(None, 350_000, 100_000),
    ),
)
ON_LANES = dataclasses.replace(
    verdicts(
        point(
            "30/s",
            dataclasses.replace(
                run("smt", MEETS), usage=SmtUse(873_000, 872_000, 874_000, 1_320_000, IDLE)
            ),
            dataclasses.replace(
                run("borrow-idle", UNSURE), usage=SmtUse(765_000, None, None, 1_000_000, IDLE)
            ),
        )
    ),
    drift=None,
)


def test_on_lanes_batch_work_and_busy_lanes_stand_in_place_of_energy():
    said = as_text(ON_LANES, ["shared", "alone"])
    table = said[said.index("\nat 30/s") + 1 : said.index("Times in ms")]
    assert table == (
        "at 30/s        p99   policy  verdict     mean    n   batch  95 % interval     util\n"
        "policy       352.0           pass       109.0  4.4  87.3 %  87.2 % .. 87.4 %  1.32\n"
        "borrow-idle  476.1  -26.1 %  undecided  109.0  4.4  76.5 %  unknown           1.00\n"
        "\n"
    )
    for word in ("energy", "power", "threads"):
        assert word not in said
    assert "busy lanes per core, of 2" in said
    assert "87.3 %" in as_markdown(ON_LANES)


def test_json_tells_of_lanes_what_its_schema_says():
    told = as_dict(ON_LANES)
    validate(told, SCHEMA)
    lanes = told["points"][0]["policy"]["lanes"]
    assert lanes == {
        "batch_ppm": 873_000,
        "low_ppm": 872_000,
        "high_ppm": 874_000,
        "utilization_ppm": 1_320_000,
        "idle": dataclasses.asdict(IDLE) | {"periods": [*map(dataclasses.asdict, IDLE.periods)]},
    }
    assert told["points"][0]["policy"]["cores"] is None


def test_idle_time_is_told_by_the_lengths_within_which_a_tenth_half_and_most_of_it_is():
    said = as_text(ON_LANES, ["shared", "alone"])
    assert (
        "\nidle time of a core under the policy\n"
        "arrivals    idle  in idle periods\n"
        "    30/s  76.0 %  20.0 % up to 15 ms, 65.0 % up to 50 ms\n"
    ) in said
    assert max(map(len, said.splitlines())) <= WIDEST
