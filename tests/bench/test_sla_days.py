"""The workloads, days and forecasts of Green SLA are those that the bench says."""

import os
from pathlib import Path

import numpy as np
import pytest

from bench.processes import of_all
from bench.sla_cases import Case, result_of
from bench.sla_days import (
    EPOCH_S,
    EPOCHS,
    RACKS,
    REPLAYED,
    Said,
    jobs_of,
    pair_of,
    resized,
    window_of,
)
from tailc.traces.jobs.log import JobLog
from tailc.traces.series.series import energy_kwh

measured = pytest.mark.skipif("TAILC_DATA" not in os.environ, reason="TAILC_DATA is not set")
DATA = Path(os.environ.get("TAILC_DATA", ""))


def doubled(number: int) -> int:
    return 2 * number


def log(*widths: int) -> JobLog:
    count = np.ones(len(widths), np.int64)
    number = np.arange(len(widths), dtype=np.int64)
    green_ppm = np.full(len(widths), 1_000_000, np.int64)
    width = np.array(widths, np.int64)
    return JobLog(number, 0 * count, count, width, 0 * count, "made", green_ppm=green_ppm)


def test_twice_the_racks_have_each_job_twice_with_other_promises():
    found = resized(log(3, 5), 2 * RACKS)
    assert found.width.tolist() == [3, 3, 5, 5]
    assert found.number.tolist() == [0, 1, 2, 3]
    assert found.green_ppm.tolist() == [1_000_000, 0, 1_000_000, 0]


def test_half_the_racks_have_every_second_job_that_has_room():
    assert resized(log(3, 5, 841, 7, 840), RACKS // 2).width.tolist() == [3, 840]


def test_as_many_racks_have_the_jobs_as_they_are():
    assert resized(log(3, 5), RACKS).width.tolist() == [3, 5]


def test_cases_come_out_the_same_for_any_number_of_processes():
    cases = [3, 1, 2]
    assert of_all(doubled, cases, 1) == of_all(doubled, cases, 2) == {3: 6, 1: 2, 2: 4}


@measured
@pytest.mark.parametrize(
    ("workload", "jobs", "most"), [("Mustang", 498, 1_643), ("Atlas", 550, 1_639)]
)
def test_windows_ask_for_about_as_much_as_the_published_ones(workload, jobs, most):
    """Were all let in with the epoch after their submission, for whole epochs."""
    found = jobs_of(DATA, workload, RACKS)
    assert found.jobs == jobs
    asked = np.zeros(4 * EPOCHS)
    for submit_s, run_s, width in zip(found.submit_s, found.run_s, found.width, strict=True):
        first = -(-submit_s // EPOCH_S)
        asked[first : first - (-run_s // EPOCH_S)] += width
    assert asked.max() == most
    assert not asked[REPLAYED:].any()


@measured
def test_days_are_of_falling_energy_and_forecasts_know_nothing_of_later():
    kwh = [energy_kwh(pair_of(DATA, day)) for day in ("High", "Medium", "Low")]
    assert kwh == sorted(kwh, reverse=True)
    jobs = jobs_of(DATA, "Mustang", RACKS)
    for said in (Said(), Said(conservatism=0.7), Said("yesterday")):
        window = window_of(DATA, jobs, "High", 1.0, said)
        ahead = window.expected.ahead(0, 2 * EPOCHS)
        assert int(ahead.green_mw[:EPOCHS].max()) > 30e6
        assert int(ahead.green_mw[EPOCHS:].max()) == 0
    known = window_of(DATA, jobs, "High", 1.0, Said("known"))
    expected = known.expected.ahead(5, EPOCHS).green_mw
    assert expected.tolist() == known.supply.green_mw[5 : 5 + EPOCHS].tolist()
    assert int(known.supply.green_mw.max()) <= 176_200_000
    assert known.start_unix_s % EPOCH_S == 0


@pytest.mark.fuzz
@measured
def test_a_case_comes_out_the_same_again_times_aside():
    case = Case("Mustang", "Low", "SA", racks=11, steps=2)
    first, again = (result_of(DATA, case) for _ in range(2))
    assert (first.profit, first.moves, first.missed) == (again.profit, again.moves, again.missed)
