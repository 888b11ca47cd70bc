"""What a green-sla spec makes of days: which jobs, in which epochs, on which energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forecasts.days import Days, Energy
from tailc.forms.plan.plan import Terms
from tailc.policies.green_sla.reduce import reduce
from tailc.policies.green_sla.spec import GreenSlaSpec
from tailc.problems.plan import PlanMethod, Weights
from tailc.problems.rigid_jobs import NamedJob
from tailc.traces.jobs.log import JobLog, LinePositions
from tailc.traces.series.series import SeriesQuantity, of_values

QUARTER_S = 900
DAY = 96
START_UNIX_S = 1_591_056_000


def spec(**changes: Any) -> GreenSlaSpec:
    """A plan of two hours; a day has 96 epochs."""
    given: dict[str, Any] = {
        "apiVersion": "tailc/v1",
        "kind": "green-sla",
        "name": "campus",
        "jobs": {"trace": "jobs.swf"},
        "supply": {"green": [{"trace": "r.csv", "column": "w", "unit": "W"}], "price": "10c/kWh"},
        "horizon": {"start": "2020-06-02T00:00Z", "length": "2h"},
        "datacentre": {"racks": 2, "servers": 4, "busy": "140W"},
        "terms": {"green": "29c/h", "brown": "24c/h", "penalty": "50c/h"},
    }
    return GreenSlaSpec.model_validate(given | changes)


def days(*jobs: tuple[int, int, int], first: int = 2 * DAY, **more: Any) -> Days:
    """Three days of energy; a job is (submit, run, width) in seconds from the first one on."""
    log = np.array(sorted(jobs), np.int64).reshape(-1, 3)
    series = [
        of_values(quantity, START_UNIX_S, QUARTER_S, values, "made")
        for quantity, values in (
            (SeriesQuantity.POWER, np.arange(3.0 * DAY)),
            (SeriesQuantity.PRICE, np.full(3 * DAY, 0.1055)),
            (SeriesQuantity.CARBON, np.full(3 * DAY, 384.0)),
        )
    ]
    columns = {
        "number": np.arange(1, len(log) + 1),
        "submit_s": log[:, 0].copy(),
        "run_s": log[:, 1].copy(),
        "width": log[:, 2].copy(),
        "requested_s": np.zeros(len(log), np.int64),
    }
    made = JobLog(
        source="jobs.swf", positions=LinePositions(np.arange(10, 10 + len(log))), **(columns | more)
    )
    return Days(made, Energy(*series), first, 8, np.zeros((0, 8)))


def told(jobs: tuple[NamedJob, ...]) -> list[tuple[str, int, int, int, bool]]:
    return [
        (one.name, one.job.first_epoch, one.job.epochs, one.job.width, one.must_run) for one in jobs
    ]


START_S = 2 * DAY * QUARTER_S


def test_jobs_that_run_on_at_the_start_are_known_by_what_is_left_of_them():
    found = reduce(
        spec(),
        days(
            # From epoch -4 on for six epochs, the last one only begun.
            (START_S - 3_600, 5 * QUARTER_S + 1, 2),
            # Done just when the plan begins.
            (START_S - 3_600, 3_600, 2),
            # Submitted since the last epoch began: it starts with the plan.
            (START_S - 1, QUARTER_S, 3),
            (START_S, 10 * QUARTER_S, 1),
            # Not yet submitted.
            (START_S + 1, QUARTER_S, 1),
        ),
    )
    # The log is sorted, so that the one that is done is job 1.
    assert told(found.jobs) == [
        ("job-2", 0, 2, 2, True),
        ("job-3", 0, 1, 3, False),
        ("job-4", 0, 8, 1, False),
    ]
    assert found.refused_before == 0


def test_an_oracle_knows_the_horizon_s_jobs_and_cuts_them_at_its_end():
    asked = {"start": "2020-06-02T00:00Z", "length": "2h", "known_jobs": "all"}
    found = reduce(
        spec(horizon=asked),
        days(
            (START_S + 1, QUARTER_S, 1),
            (START_S + 5 * QUARTER_S, 9 * QUARTER_S, 2),
            (START_S + 7 * QUARTER_S, 1, 1),
            (START_S + 7 * QUARTER_S + 1, 1, 1),
        ),
    )
    assert told(found.jobs) == [
        ("job-1", 1, 1, 1, False),
        ("job-2", 5, 3, 2, False),
        ("job-3", 7, 1, 1, False),
    ]


def test_a_job_may_wait_as_long_as_it_ends_in_the_horizon():
    found = reduce(
        spec(deferral="100min"),
        days((START_S - 3_600, 7_200, 1), (START_S, 3 * QUARTER_S, 1), (START_S, QUARTER_S, 1)),
    )
    # 100 minutes are six whole epochs; one that has begun waits no more.
    assert [one.may_wait for one in found.jobs] == [0, 6, 5]


def test_jobs_of_days_before_have_the_epoch_of_their_time_of_day():
    minute = 60
    found = reduce(
        spec(horizon={"start": "2020-06-02T00:00Z", "length": "2h", "learn_from": 3}),
        days(
            (20 * minute, QUARTER_S, 1),
            (DAY * QUARTER_S - 20 * minute, QUARTER_S, 1),
            (DAY * QUARTER_S - 10 * minute, QUARTER_S, 2),
            (DAY * QUARTER_S + 20 * minute, 7_200, 3),
            (DAY * QUARTER_S + 3 * 3_600, QUARTER_S, 1),
        ),
    )
    last, before = found.expected
    # At 20 past, so from half past on; that of ten to is there when the span begins.
    assert told(last) == [("job-3", 0, 1, 2, False), ("job-4", 2, 6, 3, False)]
    assert told(before) == [("job-1", 2, 1, 1, False)]


def test_days_before_are_apart_by_whole_days_whatever_the_horizon():
    asked = {"start": "2020-06-02T00:00Z", "epoch": "15min", "length": "26h", "learn_from": 3}
    made = days((20 * 60, QUARTER_S, 1), (DAY * QUARTER_S + 20 * 60, QUARTER_S, 1))
    for first, epochs, spans in ((2 * DAY, 96, 2), (180, 100, 0), (192, 96, 2), (184, 104, 0)):
        longer = Days(made.jobs, made.energy, first, epochs, np.zeros((0, epochs)))
        assert len(reduce(spec(horizon=asked), longer).expected) == spans, (first, epochs)


def test_jobs_that_found_no_room_when_they_came_do_not_run_at_the_start():
    found = reduce(
        spec(),
        days(
            # There is room for eight.
            (START_S - 9_000, 20_000, 5),
            (START_S - 8_000, 20_000, 4),
            (START_S - 7_000, 20_000, 3),
            (START_S - 6_000, 20_000, 1),
        ),
    )
    assert [(one.name, one.job.width) for one in found.jobs] == [("job-1", 5), ("job-3", 3)]
    assert found.refused_before == 2


def test_a_job_wider_than_the_datacentre_is_refused_where_it_stands_in_the_log():
    for wide in ((START_S - 900, 3_600, 9), (DAY * QUARTER_S, 3_600, 9)):
        with pytest.raises(TailcError) as caught:
            reduce(spec(), days((0, 60, 1), wide))
        (finding,) = caught.value.findings
        assert finding.code is Code.TOO_WIDE
        assert str(finding.place) == "jobs.swf:11"
        assert "needs 9 servers" in finding.message


def test_a_wide_job_of_another_time_of_day_stops_nothing():
    assert reduce(spec(), days((DAY * QUARTER_S + 5 * 3_600, 60, 9))).jobs == ()


def test_jobs_of_one_number_keep_names_apart():
    number = np.array([7, 7, 7])
    found = reduce(spec(), days(*[(START_S, 60, 1)] * 3, number=number))
    assert [one.name for one in found.jobs] == ["job-7", "job-7-2", "job-7-3"]
    assert found.renamed == ("job-7-2", "job-7-3")


def test_a_number_of_a_job_long_done_renames_the_one_that_is_known():
    number = np.array([7, 7, 8])
    gone = (0, 60, 1)
    found = reduce(spec(), days(gone, (START_S, 60, 1), (START_S, 60, 1), number=number))
    assert [one.name for one in found.jobs] == ["job-7-2", "job-8"]
    assert found.renamed == ("job-7-2",)


def test_a_share_of_green_energy_is_of_what_is_left():
    green_ppm = np.array([250_000, 500_000])
    made = days((START_S - 3_600, 3_600 + 3 * QUARTER_S, 3), (START_S, 60, 1), green_ppm=green_ppm)
    found = reduce(spec(), made)
    # A quarter of nine slots, rounded up, and half of one.
    assert [one.job.green_slots for one in found.jobs] == [3, 1]


def test_money_and_energy_are_those_of_an_epoch():
    asked = spec(
        opportunity_cost="0.1c/h",
        weights={"money": 2, "energy": "5c/kWh", "carbon": "80USD/t"},
        search={"method": "anneal", "steps": 3, "seed": 9},
        violations="1%",
    )
    found = reduce(asked, days((START_S, 60, 1)))
    # As published for a quarter of an hour: 7.25, 6 and 12.5 cents.
    assert found.terms == Terms(72_500, 60_000, 125_000)
    assert found.epsilon_udollars == 250
    assert found.weights == Weights(2, 50_000, 80)
    assert (found.method, found.search.steps, found.search.seed) == (PlanMethod.ANNEAL, 3, 9)
    assert found.violations_ppm == 10_000
    assert found.start_unix_s == START_UNIX_S + 2 * DAY * QUARTER_S
    first_mw = 2 * DAY * 1_000
    assert found.supply.green_mw.tolist() == [first_mw + 1_000 * epoch for epoch in range(8)]
    assert found.supply.brown_udollars_per_kwh.tolist() == [105_500] * 8
    assert found.supply.brown_mg_per_kwh.tolist() == [384_000] * 8


def test_fees_of_an_epoch_are_the_nearest_millionth_and_of_two_the_even_one():
    # 0.0001 c/h is a millionth of a dollar an hour, a quarter of one an epoch.
    terms = {"green": "0.001c/h", "brown": "0.0006c/h", "penalty": "0.0002c/h"}
    assert spec(terms=terms).epoch_terms == Terms(2, 2, 0)


def test_a_job_with_a_deadline_may_wait_until_it():
    jobs = ((START_S, 60, 1), (START_S, 60, 1), (START_S, QUARTER_S + 1, 1))
    due_s = np.array([START_S + QUARTER_S, START_S + 10**6, START_S + 5 * QUARTER_S - 1])
    found = reduce(spec(deferral="30min"), days(*jobs, deadline_s=due_s))
    # The second one must end within the horizon of eight epochs.
    assert [one.may_wait for one in found.jobs] == [0, 7, 2]


def test_the_digest_of_days_has_shares_and_deadlines():
    jobs = ((START_S, 60, 1), (START_S, 60, 1))
    shares = ([500_000, 0], [333_000, 0], [50, 0])
    made = [days(*jobs, green_ppm=np.array(one)) for one in shares]
    made += [days(*jobs), days(*jobs, deadline_s=np.array([START_S + 60, START_S + 60]))]
    assert len({one.digest for one in made}) == len({one.jobs_digest for one in made}) == 5
