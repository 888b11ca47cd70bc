"""The readers on logs of real machines; only where TAILC_DATA says they are."""

import os
from pathlib import Path

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.traces.jobs.job_list import JobColumns, JobTimeUnit, read_job_list
from tailc.traces.jobs.job_selection import JobReading
from tailc.traces.jobs.log import refuse_wide
from tailc.traces.jobs.scaling import (
    DividedWidths,
    JobScaling,
    scaled_jobs,
    window,
    with_green_percents,
)
from tailc.traces.jobs.swf import read_swf

DATA = os.environ.get("TAILC_DATA")
pytestmark = pytest.mark.skipif(DATA is None, reason="TAILC_DATA is not set")

NASA = "NASA-iPSC-1993-3.1-cln.swf.gz"
HPC2N = "HPC2N-2002.excerpt.swf.gz"
ATLAS = "LLNL-Atlas-2006-2.1-cln.compile.swf.gz"
THETA = "ALCF-Theta-2022.swf.gz"


def measured(*parts):
    return str(Path(DATA or "", *parts))


def swf(name):
    return read_swf(measured("hpc-jobs", name), JobReading(leaves_out_zero_runs=True))


@pytest.mark.parametrize(
    ("name", "ran", "left_out", "zone", "capacity", "mean_run_s"),
    [
        (NASA, 18_066, 173, "US/Pacific", 128, 772),
        (HPC2N, 3_145, 25, "Europe/Stockholm", 240, 10_130),
        (ATLAS, 12_198, 3_534, "US/Pacific", 9_216, 3_513),
        (THETA, 23_911, 0, None, 4_360, 8_133),
    ],
)
def test_the_jobs_that_ran_are_those_that_the_archive_counts(
    name, ran, left_out, zone, capacity, mean_run_s
):
    log = swf(name)
    said = [each.message for each in log.warnings if each.code is Code.JOBS_LEFT_OUT]
    assert (log.jobs, sum(int(text.split()[0]) for text in said)) == (ran, left_out)
    assert (log.header.zone, log.header.capacity) == (zone, capacity)
    assert log.run_s.mean() == pytest.approx(mean_run_s, rel=1e-3)


def test_runs_of_no_second_stop_a_log_unless_they_may_be_left_out():
    with pytest.raises(TailcError, match=r"job 658 has a run time of 0 \(first of 173"):
        read_swf(measured("hpc-jobs", NASA))


def test_an_excerpt_is_told():
    (warning, *_) = swf(HPC2N).warnings
    assert warning.code is Code.LOG_IS_PART
    assert "527371" in warning.message


def test_a_list_of_jobs_in_hours():
    columns = JobColumns("arrival_h", "run_h", "cpus", JobTimeUnit.HOUR, JobTimeUnit.HOUR)
    log = read_job_list(measured("job-lists", "mustang2015_compile.parquet"), columns)
    assert log.jobs == 63_893
    assert log.run_s.mean() / 3_600 == pytest.approx(2.02, abs=0.005)
    assert log.width.mean() == pytest.approx(9.0, abs=0.05)
    assert np.median(log.run_s) / 3_600 == pytest.approx(0.20, abs=0.005)


@pytest.mark.parametrize("name", [ATLAS, THETA])
def test_a_real_log_is_scaled_to_a_datacentre_of_1680_servers(name):
    log = swf(name)
    part = window(log, int(log.submit_s[log.jobs // 2]), 48 * 3_600)
    scaled = scaled_jobs(part, JobScaling(5, DividedWidths(24), multiply_run=8))
    scaled = with_green_percents(scaled, seed=1)
    refuse_wide(scaled, 1_680)
    of_number = {int(number): job for job, number in enumerate(log.number)}
    before = log.part([of_number[int(number)] for number in scaled.number])
    assert scaled.width.tolist() == [-(-int(width) // 24) for width in before.width]
    assert scaled.run_s.tolist() == [8 * int(run_s) for run_s in before.run_s]
    assert set(scaled.green_ppm[scaled.run_s > 48 * 3_600].tolist()) <= {0}
    assert set(scaled.green_ppm.tolist()) == {0, 250_000, 500_000, 750_000, 1_000_000}
    assert 0 <= scaled.submit_s.min() <= scaled.submit_s.max() < 48 * 3_600
