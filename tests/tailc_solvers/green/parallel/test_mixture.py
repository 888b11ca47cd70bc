"""Mixtures of schedules by hand, and the rules that part them."""

import pytest
from tailc_solvers.green.parallel.mixture import Mixture
from tailc_solvers.green.parallel.schedules import Column, Count, ScheduleRule

from tests.tailc_solvers.green.parallel.instances import small_problem

PROBLEM = small_problem(5)


def parted(*parts: tuple[float, Column], rules=None):
    """The rules that part these shares."""
    shares, columns = zip(*parts, strict=True)
    return Mixture(PROBLEM, columns, shares).splitting_rules(rules or {})


def test_the_job_with_most_servers_in_the_smaller_part_is_to_be_shorter_or_longer():
    # The smaller part is half of job 0, of one server, and 0.3 of job 1, of 2.35 in the mean.
    found = parted(
        (0.5, Column(0, 0, 0, (1,))),
        (0.5, Column(0, 0, 0, (1, 1))),
        (0.2, Column(1, 0, 0, (2,))),
        (0.5, Column(1, 0, 0, (4, 2))),
        (0.3, Column(1, 0, 0, (1, 2, 2, 1))),
    )
    assert found == [{1: ScheduleRule(most_epochs=2)}, {1: ScheduleRule(least_epochs=3)}]


def test_a_rule_keeps_what_it_says_already():
    rules = {0: ScheduleRule(shape=1, least_epochs=2), 1: ScheduleRule(shape=0)}
    found = parted(
        (0.6, Column(0, 1, 0, (1, 1))),
        (0.4, Column(0, 1, 0, (1, 1, 1, 1))),
        (1.0, Column(1, 0, 0, (2,))),
        rules=rules,
    )
    first, second = (
        ScheduleRule(shape=1, least_epochs=2, most_epochs=2),
        ScheduleRule(shape=1, least_epochs=3),
    )
    assert found == [{**rules, 0: first}, {**rules, 0: second}]


@pytest.mark.parametrize("shorter", [0.0, 0.04])
def test_where_lengths_hardly_differ_shapes_come_first(shorter):
    found = parted(
        (shorter, Column(0, 0, 0, (1,))),
        (0.7 - shorter, Column(0, 0, 0, (1, 1))),
        (0.3, Column(0, 1, 0, (1, 1))),
        (1.0, Column(1, 0, 0, (2,))),
    )
    assert found == [{0: ScheduleRule(shape=0)}, {0: ScheduleRule(shape=1)}]


def test_where_only_counts_differ_the_evenest_epoch_parts_them():
    found = parted(
        (0.3, Column(0, 0, 0, (1, 2, 1))),
        (0.4, Column(0, 0, 0, (2, 1, 1))),
        (0.3, Column(0, 0, 0, (2, 2, 1))),
        (1.0, Column(1, 0, 0, (2,))),
    )
    few, many = Count(1, 0, 1), Count(1, 2, PROBLEM.servers)
    assert found == [{0: ScheduleRule(counts=(few,))}, {0: ScheduleRule(counts=(many,))}]


def test_one_schedule_of_each_job_is_not_parted():
    assert parted((1.0, Column(0, 0, 0, (1,))), (1.0, Column(1, 0, 1, (2, 1)))) == []
