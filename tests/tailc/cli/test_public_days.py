"""A plan judged on a public log of jobs under measured sun."""

from __future__ import annotations

import csv
import json
import os
from datetime import datetime
from pathlib import Path

import pytest

from tests.tailc.held_out_days import rigid_plan, write_plan

DATA = Path(os.environ.get("TAILC_DATA", "/nowhere"))
LOG = DATA / "hpc-jobs/LLNL-Atlas-2006-2.1-cln.compile.swf.gz"
SUN = DATA / "pv-measured/serf_east_15min_ac_power.csv"
WINDOWS, START = 14, "2016-08-10T00:00-06:00"
DAY_S, QUARTER_H = 86_400, 0.25

DOCUMENT = f"""\
apiVersion: tailc/v1
kind: days
jobs:
  trace: {LOG}
  at_start: 936h
  drop_wider: 4096
  divide_width: 1024
  skip_zero_runs: true
  green: {{seed: 1}}
supply:
  green:
    - {{trace: {SUN}, time: measured_on, column: ac_power, unit: kW, skip_longer_gaps: true}}
  price: 10.55c/kWh
  carbon: 384g/kWh
  forecast: {{method: yesterday}}
horizon: {{start: "{START}"}}
"""


@pytest.mark.skipif(not LOG.exists(), reason="TAILC_DATA does not name the public traces")
def test_a_fortnight_of_jobs_under_measured_sun(in_folder, tailc):
    write_plan(in_folder, rigid_plan())
    (in_folder / "days.yaml").write_text(DOCUMENT)
    words = ("--windows", WINDOWS, "--output-format", "json")
    ended = tailc("verify", "plan", "--trace", "days.yaml", *words)
    assert ended.code in (0, 1, 4), ended.out
    found = json.loads(ended.out)["result"]
    assert (found["held_out"]["windows"], found["held_out"]["excluded_windows"]) == (WINDOWS, 0)
    produced_kwh = produced()
    for one in found["subjects"]:
        means = {name: mean["value"] for name, mean in one["means"].items()}
        # Whoever places the jobs, the sun is the same.
        assert means["green_kwh"] + means["spilled_kwh"] == pytest.approx(produced_kwh, rel=1e-6)
        assert means["co2_kg"] == pytest.approx(means["brown_kwh"] * 0.384)
        assert 0 <= means["violations"] <= 1


def produced() -> float:
    """What a day brings [kWh], as the file has it; small negative values are none."""
    begin = datetime.fromisoformat(START).timestamp()
    with SUN.open(newline="") as file:
        rows = [(row["measured_on"], row["ac_power"]) for row in csv.DictReader(file)]
    within = [
        max(float(power), 0.0)
        for time, power in rows
        if begin <= datetime.fromisoformat(time).timestamp() < begin + WINDOWS * DAY_S
    ]
    assert len(within) == WINDOWS * 96
    return sum(within) * QUARTER_H / WINDOWS
