"""Throughput verdicts in every form that they are written in."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from tailc.experiment.block_means import MeanError
from tailc.experiment.recorded_periods import ModelErrors
from tailc.experiment.ruling import Ruling
from tailc.models.cpu_shares.usage import HostUsage
from tailc.report.github import as_github
from tailc.report.throughput import as_dict, as_markdown, as_text, ci_verdicts
from tailc.verify.throughput.verdict import (
    BaselineError,
    MachineDrift,
    MachineVerdict,
    ShareBaseline,
    ThroughputVerdicts,
)
from tests.tailc.schemas import validate

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "schemas/report/throughput-1.schema.json").read_text()
)
ENCODER = MachineVerdict(
    name="encoder",
    target_milli=30_000,
    ruling=Ruling.PASS,
    error=MeanError(32_000, 28_900, 36_100),
    model=ModelErrors(MeanError(60_000, 51_000, 70_000), MeanError(81_000, 70_000, 95_000)),
    share_ppm=402_000,
    max_milli=72_500,
    short_ppm=0,
    capped_ppm=0,
    baselines={"static": BaselineError(274_000, 400_000), "fair": BaselineError(310_000, 333_333)},
    more_steps=None,
    drift=MachineDrift(MeanError(-413_000, -440_000, -383_000), None, is_flagged=True),
)
INDEX = dataclasses.replace(
    ENCODER,
    name="index",
    ruling=Ruling.UNDECIDED,
    target_milli=80_000,
    model=None,
    short_ppm=500_000,
    capped_ppm=250_000,
    more_steps=1_200,
    drift=MachineDrift(
        MeanError(20_000, -10_000, 51_000), MeanError(-3_000, -10_000, 70_000), False
    ),
)
BOTH = ThroughputVerdicts(
    policy_name="two",
    generation=3,
    held_out_digest="ab" * 32,
    held_out_rows=1_600,
    is_compile_trace=False,
    steps=799,
    step_us=750_000,
    seed=1,
    replicates=100,
    tolerance_ppm=50_000,
    baselines=(
        ShareBaseline("static", "error at the best share that never changes", shows_share=True),
        ShareBaseline("fair", "at an equal part of the host", shows_share=False),
    ),
    machines=(ENCODER, INDEX),
    usage=HostUsage(utilization_ppm=999_990, batch_ppm=120_000),
)


def test_text_has_a_row_for_each_machine_and_what_is_left_to_say():
    told = as_text(BOTH)
    assert told.startswith(
        "policy `two`, generation 3, 799 steps of 750 ms from 1,600 held-out rows, tolerance 5 %\n"
        "\n"
        "machine  target  error  95 % interval  verdict\n"
        "encoder    30/s  3.2 %   2.9 .. 3.6 %  pass\n"
        "index      80/s  3.2 %   2.9 .. 3.6 %  undecided\n"
        "\n"
        "machine   share  static  its share    fair  model, online  compiled\n"
        "encoder  40.2 %  27.4 %     40.0 %  31.0 %          6.0 %     8.1 %\n"
        "index    40.2 %  27.4 %     40.0 %  31.0 %              -         -\n"
    )
    assert "granted: 100.0 % of the host on average, of which batch work 12.0 %" in told
    assert (
        "drift since the compile, of throughput and of the model's a:\n"
        "machine  by the same share     95 % interval  change of a  95 % interval  drift\n"
        "encoder            -41.3 %  -44.0 .. -38.3 %            -              -  flagged\n"
        "index                2.0 %     -1.0 .. 5.1 %         0.00  -0.01 .. 0.07  not flagged\n"
    ) in told
    assert "index: the whole host would do 72.5/s on average: the target is out of reach" in told
    assert "index: short of share, and flagged as such, in 50.0 % of the steps" in told
    assert "index: under a cap in 25.0 % of the steps, since throughput did not follow" in told
    assert "index: about 1,200 more steps would decide" in told
    assert told.endswith("verdict: undecided\n")
    assert max(map(len, told.splitlines())) <= 100


def test_json_is_what_its_schema_says():
    told = as_dict(BOTH)
    validate(told, SCHEMA)
    assert told["machines"][0]["is_attainable"] is True
    assert told["machines"][1]["online"] is None
    assert told["verdict"] == "undecided"


def test_ci_services_get_a_line_and_a_case_for_each_machine():
    lines = as_github((), [each.note for each in ci_verdicts(BOTH)]).splitlines()
    assert lines[0].startswith(
        "::notice title=throughput pass::policy `two`, `encoder`: 30/s within"
    )
    assert lines[1].startswith("::warning title=throughput undecided::")
    first, second = [each.test_case for each in ci_verdicts(BOTH)]
    assert (first.fault, first.kind) == (None, "pass")
    assert second.fault is not None


def test_markdown_folds_out_what_it_was_compared_with():
    told = as_markdown(BOTH)
    assert told.startswith("### two: undecided\n")
    assert "| encoder | 30/s | 3.2 % | 2.9 .. 3.6 % | pass |" in told
    assert told.index("<details>") < told.index("| encoder | 40.2 % | 27.4 %")
    assert "| encoder | -41.3 % | -44.0 .. -38.3 % | - | - | flagged |" in told


def test_drift_that_is_not_known_is_left_out():
    silent = tuple(dataclasses.replace(machine, drift=None) for machine in BOTH.machines)
    verdicts = dataclasses.replace(BOTH, machines=silent)
    assert "drift since" not in as_text(verdicts)
    assert "drift since" not in as_markdown(verdicts)
    validate(as_dict(verdicts), SCHEMA)
