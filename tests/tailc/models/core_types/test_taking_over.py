"""Requests that take a core over from another, by hand: speeds 0.5 and 1, times in ms."""

import dataclasses

from tailc.forms.ladder.table import Rule
from tests.tailc.models.core_types.servers import latency_ms, levels, row, run, wait_ms

WAITED_LAST = (Rule.CORE_PER_REQUEST, Rule.NEVER_DESCEND, Rule.WAITED_START_LAST)
BY_CORE = (Rule.BUSY_PERIOD_AGE, Rule.CORE_PER_REQUEST, Rule.NEVER_DESCEND)
FIRST_TEN = row((0, 0), (10, 1))


def lanes(rules, rows=(FIRST_TEN,), count=1):
    return dataclasses.replace(levels(count, *rows, speeds=(0.5, 1)), rules=rules)


def test_a_request_that_has_waited_starts_on_the_last_rung():
    outcome = run(lanes(WAITED_LAST), [0, 3], [8, 4])
    # 10 ms at half the speed and 3 ms; then 4 ms at full speed
    assert latency_ms(outcome) == [13, 17 - 3]


def test_a_request_that_has_not_waited_climbs_whoever_else_runs():
    outcome = run(lanes(WAITED_LAST, count=2), [0, 3], [20, 20])
    assert latency_ms(outcome) == [25, 25]


def test_one_that_comes_as_another_leaves_has_not_waited():
    outcome = run(lanes(WAITED_LAST), [0, 13], [8, 4])
    assert latency_ms(outcome) == [13, 8]
    assert wait_ms(outcome) == [0, 0]


def test_the_last_rung_is_that_of_the_row():
    outcome = run(lanes(WAITED_LAST, rows=(row((0, 0)),)), [0, 3], [8, 4])
    assert latency_ms(outcome) == [16, 16 - 3 + 8]


def test_a_waiting_request_goes_on_where_the_one_before_it_left_off():
    outcome = run(lanes(BY_CORE), [0, 1, 2], [3, 4, 5])
    # the first leaves at 6 ms; the second has 4 ms left at half the speed, then 2 ms; then 5 ms
    assert latency_ms(outcome) == [6, 12 - 1, 17 - 2]


def test_once_the_core_was_free_ages_begin_anew():
    outcome = run(lanes(BY_CORE), [0, 6], [3, 7])
    assert latency_ms(outcome) == [6, 12]


def test_each_core_has_an_age_of_its_own():
    outcome = run(lanes(BY_CORE, count=2), [0, 1, 2, 3], [1, 8, 6, 9])
    # the first core is free at 2 ms, when the third comes: its ten begin there; the second core
    # is left at 14 ms, before that at 13, so the fourth starts on the third's, ten ms spent
    assert latency_ms(outcome) == [2, 13, 11, 13 - 3 + 9]


def test_of_cores_freed_at_once_the_last_to_be_left_goes_first():
    outcome = run(lanes(BY_CORE, count=2), [0, 2, 3], [3, 2, 9])
    # both are left at 6 ms; the second has spent 4 ms, so 6 ms are left: 3 ms of work, then 6
    assert latency_ms(outcome) == [6, 4, 6 - 3 + 6 + 6]
