"""Schedules that are known: each once, in order, and those that rules leave."""

import itertools

import pytest
from tailc_solvers.green.parallel.known_schedules import KnownSchedules
from tailc_solvers.green.parallel.schedules import Column, Count, ScheduleRule

from tests.tailc_solvers.green.parallel.instances import obeys, small_problem

COLUMNS = [
    Column(job, shape, start, servers)
    for job, shape, start in itertools.product(range(2), range(2), range(2))
    for servers in ((1,), (2, 1), (1, 1, 2))
]


def test_a_schedule_is_there_once():
    known = KnownSchedules(small_problem(3))
    assert known.add(COLUMNS[:5]) == slice(0, 5)
    assert known.add([COLUMNS[7], COLUMNS[2], COLUMNS[7]]) == slice(5, 6)
    assert known.add(COLUMNS[:3]) == slice(6, 6)
    assert known.columns == [*COLUMNS[:5], COLUMNS[7]]
    assert known.servers.tolist() == [column.row(4).tolist() for column in known.columns]
    assert known.job.tolist() == [column.job for column in known.columns]


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {1: ScheduleRule(shape=1)},
        {0: ScheduleRule(least_epochs=2), 1: ScheduleRule(most_epochs=1)},
        {0: ScheduleRule(0, 2, 3, (Count(1, 1, 1), Count(3, 0, 0)))},
        {1: ScheduleRule(counts=(Count(0, 0, 1),))},
    ],
)
def test_rules_leave_the_schedules_that_obey(rules):
    known = KnownSchedules(small_problem(3))
    known.add(COLUMNS)
    wanted = [obeys(one, rules[one.job]) if one.job in rules else True for one in COLUMNS]
    assert known.obeying(rules).tolist() == wanted
