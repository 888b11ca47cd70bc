"""What users say of jobs, made from their speed-ups."""

import pytest

from tailc.models.malleable_jobs.hints import Hint, hint_of
from tailc.models.malleable_jobs.jobs import MalleableJob


@pytest.mark.parametrize(
    ("at_twice", "hint"),
    [
        (2_000_000, Hint.EXCELLENT),
        (1_600_000, Hint.GOOD),
        (1_300_000, Hint.FAIR),
        (1_100_000, Hint.POOR),
    ],
)
def test_users_say_how_jobs_speed_up_by_what_twice_the_servers_do(at_twice, hint):
    told = {2: {1: 1_000_000}, 4: {1: 1_000_000, 2: at_twice}}
    assert hint_of(MalleableJob(1, 0, 600, 1, 1_100_000, told)) is hint
    assert hint_of(MalleableJob(1, 0, 600, 1, 1_100_000, {2: {1: 1_000_000}})) is Hint.POOR
