"""Which jobs a cluster is to run, and on what: days of a few jobs, all of them by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forecasts.days import Days, Energy
from tailc.policies.greenpar.reduce import reduce
from tailc.policies.greenpar.spec import GreenParSpec
from tailc.traces.jobs.log import Applications, JobLog
from tailc.traces.series.series import SeriesQuantity, of_values

HOUR = 3_600
DAY = 24
WATTS = 100.0
TABLE = {"1": 1, "2": 1.8, "4": 3}
JOBS = [
    # number, submitted [h], run [h], width
    (1, 5, 2, 2),  # two days before
    (2, DAY + 3, 1, 1),  # the day before
    (3, DAY + 23, 4, 2),  # runs when the plan begins
    (4, 2 * DAY - 0.25, 1, 1),  # submitted before, begins with it
    (5, 2 * DAY + 6, 1, 4),  # within it
    (6, 3 * DAY + 1, 1, 1),  # after it
]


def log(jobs=JOBS, applications=("all",)) -> JobLog:
    number, at_h, run_h, width = np.array(jobs, float).reshape(-1, 4).T
    chosen = np.arange(len(jobs)) % len(applications)
    return JobLog(
        number.astype(np.int64),
        (at_h * HOUR).astype(np.int64),
        (run_h * HOUR).astype(np.int64),
        width.astype(np.int64),
        np.zeros(len(jobs), np.int64),
        "jobs.csv",
        applications=Applications(applications, chosen.astype(np.int64)),
    )


def days(jobs=None, scenarios=()) -> Days:
    """Four days of hours from midnight on; a plan of the third. All of it is known beforehand."""
    steps = 4 * DAY
    price = np.where(np.arange(steps) % DAY < 12, 0.1, 0.3)
    told = (
        (SeriesQuantity.POWER, np.full(steps, WATTS)),
        (SeriesQuantity.PRICE, price),
        (SeriesQuantity.CARBON, np.full(steps, 400.0)),
    )
    power, cents, carbon = (of_values(what, 0, HOUR, values, "made") for what, values in told)
    ways = np.array(scenarios, float).reshape(-1, DAY)
    return Days(jobs or log(), Energy(power, cents, carbon), 2 * DAY, DAY, ways)


def spec(**changes) -> GreenParSpec:
    told = {
        "apiVersion": "tailc/v1",
        "kind": "greenpar",
        "name": "some",
        "jobs": {"trace": "jobs.swf"},
        "supply": {
            "green": [{"trace": "roof.csv", "column": "w", "unit": "W"}],
            "price": "10c/kWh",
        },
        "horizon": {"start": "1970-01-03T00:00Z", "epoch": "1h"},
        "cluster": {"servers": 8, "busy": "30W", "counts": [1, 2, 4]},
        "speedup": {"all": TABLE},
        "vms_per_server": [2],
    }
    return GreenParSpec.model_validate({**told, **changes})


def refused(*arguments):
    with pytest.raises(TailcError) as caught:
        reduce(*arguments)
    (finding,) = caught.value.findings
    assert finding.help
    return finding


def horizon(**changes):
    return {"start": "1970-01-03T00:00Z", "epoch": "1h", **changes}


def test_jobs_that_still_run_are_known_by_what_is_left_of_them():
    known = reduce(spec(), days()).jobs
    assert [job.name for job in known] == ["job-3", "job-4"]
    begun, waits = known
    # Three of its four hours, on two servers: 1.8 times three hours on one.
    assert (begun.submit_s, begun.requested, begun.work_s) == (0, 2, round(1.8 * 3 * HOUR))
    assert begun.asked_s == 3 * HOUR
    assert (waits.submit_s, waits.work_s) == (0, HOUR)


def test_an_oracle_also_knows_the_jobs_of_the_horizon():
    problem = reduce(spec(horizon=horizon(known_jobs="all")), days())
    assert [job.name for job in problem.jobs] == ["job-3", "job-4", "job-5"]
    assert problem.jobs[-1].submit_s == 6 * HOUR


def test_days_before_are_laid_on_the_horizon_by_time_of_day():
    yesterday, before = reduce(spec(), days()).expected
    assert [(job.name, job.submit_s) for job in yesterday] == [
        ("job-2", 3 * HOUR),
        ("job-3", 23 * HOUR),
    ]
    assert [(job.name, job.submit_s) for job in before] == [("job-1", 5 * HOUR)]


def test_a_span_longer_than_a_day_is_whole_days_earlier():
    """Of 36 h: the span before begins two days earlier, and there is none before that."""
    longer = spec(horizon=horizon(length="36h"))
    (before,) = reduce(longer, Days(log(), days().energy, 2 * DAY, 36, np.zeros((0, 36)))).expected
    assert [job.name for job in before] == ["job-1", "job-2"]


def test_no_more_days_than_asked_stand_behind_prices():
    assert len(reduce(spec(horizon=horizon(learn_from=1)), days()).expected) == 1


def test_machines_and_servers_are_those_that_fit():
    """Asked for 2, with 4 or 8 machines: 1 server takes 4 of them, and no machine is on two."""
    doubled = spec(vms_per_server=[2, 4], horizon=horizon(known_jobs="all"))
    problem = reduce(doubled, days(log([(1, 2 * DAY + 1, 1, 2)])))
    assert {vms: list(curve) for vms, curve in problem.jobs[0].speedup_ppm.items()} == {
        4: [1, 2, 4],
        8: [2, 4],
    }


def test_a_job_that_has_begun_keeps_its_machines():
    doubled = spec(vms_per_server=[2, 4], deferral="2h")
    begun, waits = reduce(doubled, days()).jobs
    assert (list(begun.speedup_ppm), begun.may_wait) == ([4], 0)
    assert (list(waits.speedup_ppm), waits.may_wait) == ([2, 4], 2)


def test_any_count_is_any_count():
    cluster = {"servers": 8, "busy": "30W", "counts": "any"}
    problem = reduce(
        spec(
            cluster=cluster,
            speedup={"all": "FT"},
            vms_per_server=[4],
            horizon=horizon(known_jobs="all"),
        ),
        days(log([(1, 2 * DAY, 1, 2)])),
    )
    assert list(problem.jobs[0].speedup_ppm[8]) == [2, 3, 4, 5, 6, 7, 8]


def test_whoever_finds_no_room_is_left_out():
    """Eight servers for the whole day, and again: the second begins when the plan has ended."""
    jobs = [(1, 2 * DAY, DAY, 8), (2, 2 * DAY, 1, 8)]
    problem = reduce(
        spec(horizon=horizon(known_jobs="all"), speedup={"all": "EP"}), days(log(jobs))
    )
    assert [job.name for job in problem.jobs] == ["job-1"]
    assert problem.left_out == 1


def test_each_job_speeds_up_as_its_application_does():
    named = {"trace": "jobs.swf", "applications": {"x": 1, "y": 1}}
    applications = spec(
        jobs=named, speedup={"x": TABLE, "y": {"2": TABLE, "4": {"1": 1, "2": 1.5, "4": 2}}}
    )
    begun, _ = reduce(applications, days(log(applications=("x", "y")))).jobs
    assert begun.speedup_ppm == {4: {1: 1_000_000, 2: 1_800_000, 4: 3_000_000}}
    swapped = reduce(applications, days(log(applications=("y", "x")))).jobs[0]
    assert swapped.speedup_ppm == {4: {1: 1_000_000, 2: 1_500_000, 4: 2_000_000}}


def test_energy_is_what_is_expected_at_the_start():
    problem = reduce(spec(), days(scenarios=[[50.0] * DAY, [0.0] * DAY]))
    supply = problem.supply
    assert set(supply.green_mw.tolist()) == {100_000}
    assert supply.brown_udollars_per_kwh.tolist() == [100_000] * 12 + [300_000] * 12
    assert supply.scenarios_mw.tolist() == [[50_000] * DAY, [0] * DAY]


@pytest.mark.parametrize(
    ("changes", "run_cost"),
    [
        # 8 times 0.3 kW at 20 c in the mean.
        ({}, 480_000),
        ({"run_time": {"beta": 0.5, "reference": "1kW"}}, 100_000),
        ({"run_time": {"cost": "29c/h"}}, 290_000),
        # 0.4 kg of CO2 a kWh, at 100 dollars a tonne.
        ({"weights": {"money": 0, "carbon": "100USD/t"}}, 96_000),
    ],
)
def test_an_hour_of_run_time_counts_what_the_reference_draws(changes, run_cost):
    assert reduce(spec(**changes), days()).run_cost == run_cost


@pytest.mark.parametrize(
    ("changes", "submit_h"),
    [({}, 2 * DAY - 1), ({"known_jobs": "all"}, 3 * DAY - 1), ({"learn_from": 2}, 1)],
)
def test_a_job_wider_than_the_cluster_is_refused_at_its_place(changes, submit_h):
    # One that runs on at the start, one that comes before the end, one of a day learned from.
    wide = days(log([(1, 0, 1, 1), (7, submit_h, 3, 9)]))
    finding = refused(spec(horizon=horizon(**changes)), wide)
    assert finding.code is Code.TOO_WIDE
    assert "job 7 needs 9 servers" in finding.message
    assert finding.place is not None


@pytest.mark.parametrize(("knows", "submit_h"), [("past", 1), ("past", 2 * DAY), ("all", 3 * DAY)])
def test_a_wide_job_that_no_plan_looks_at_stops_nothing(knows, submit_h):
    # Of two days before, unknown at the start, and of after the end.
    asked = spec(horizon=horizon(known_jobs=knows, learn_from=1))
    other = (8, 2 * DAY - 1, 4, 4)
    order = sorted([(7, submit_h, 3, 9), other], key=lambda job: job[1])
    assert reduce(asked, days(log(order))).jobs == reduce(asked, days(log([other]))).jobs


def test_a_speed_up_that_is_lacking_is_asked_for():
    finding = refused(spec(speedup={"all": {"1": 1, "4": 3}}), days())
    assert finding.code is Code.MISSING_KEY
    assert finding.about == ("speedup", "all")
    assert "no speed-up on 2 servers with 4 virtual machines" in finding.message


def test_two_jobs_of_one_number_are_refused():
    finding = refused(spec(), days(log([(3, DAY + 23, 4, 2), (3, DAY + 23, 4, 2)])))
    assert "job number 3 occurs twice" in finding.message
