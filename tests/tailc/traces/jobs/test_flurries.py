"""Flurries: weeks in which one user submits more jobs than all others usually do."""

from __future__ import annotations

import numpy as np
import pytest

from tailc.errors import Code
from tailc.lint.lint import lint
from tailc.lint.roles import TraceOptions
from tailc.traces.jobs.flurries import are_of_flurries
from tailc.traces.jobs.job_selection import JobReading
from tailc.traces.jobs.swf import read_swf

WEEK_S = 7 * 86_400


def jobs_of(user, week, count):
    """Jobs of a user, evenly over a week."""
    return [(week * WEEK_S + at * WEEK_S // count, user) for at in range(count)]


@pytest.fixture
def log():
    """Four weeks of 300 jobs of two users each, and 900 jobs of user 7 in the third."""
    every = [job for week in range(4) for user in (1, 2) for job in jobs_of(user, week, 150)]
    every += jobs_of(7, 2, 900) + jobs_of(7, 3, 20)
    return np.array(sorted(every), dtype=np.int64)


def test_only_the_week_of_the_user_is_a_flurry(log):
    found = log[are_of_flurries(log[:, 1], log[:, 0])]
    assert len(found) == 900
    assert set(found[:, 1]) == {7}
    assert set(found[:, 0] // WEEK_S) == {2}


def test_unknown_users_and_quiet_logs_have_none(log):
    unknown = np.where(log[:, 1] == 7, -1, log[:, 1])
    assert not are_of_flurries(unknown, log[:, 0]).any()
    assert not are_of_flurries(log[::2, 1], log[::2, 0]).any()
    assert are_of_flurries(log[:0, 1], log[:0, 0]).shape == (0,)


@pytest.fixture
def path(log, tmp_path):
    lines = (
        f"{number} {submit} 0 60 1 -1 -1 1 60 -1 1 {user} -1 -1 -1 -1 -1 -1\n"
        for number, (submit, user) in enumerate(log.tolist(), 1)
    )
    file = tmp_path / "jobs.swf"
    file.write_text("".join(lines))
    return str(file)


def test_the_jobs_are_left_out_with_a_warning(path):
    assert read_swf(path).jobs == 2_120
    found = read_swf(path, JobReading(leaves_out_flurries=True))
    assert found.jobs == 1_220
    assert found.warnings[-1].code is Code.JOBS_LEFT_OUT
    assert "900 jobs left out as flurries" in found.warnings[-1].message


def test_lint_notes_a_flurry(path):
    found = [one for one in lint(path, TraceOptions()).findings if one.code.ident == "TC1809"]
    assert len(found) == 1
    assert "the user submitted more jobs in this week" in found[0].message
