import pytest

from tailc.traces.profile import Measure
from tailc.traces.reading import Curve, Reading, TimeUnit, Timings

CURVE = Curve(None, (1_000_000, 1_900_000))


def run_times(**changes) -> Reading:
    parts = {"demand": "run time", **changes}
    return Reading(Measure.RUN_TIME, "the servers it asked for", TimeUnit.S, **parts)


def test_run_times_of_jobs_have_curves_or_no_speed_ups():
    assert run_times().curves == ()
    assert run_times(curves=(CURVE,)).curves == (CURVE,)


@pytest.mark.parametrize(
    "changes",
    [
        {"speedup_columns": ("s1", "s2")},
        {"demand": None, "timings": Timings("job", "servers", "took")},
    ],
)
def test_run_times_of_jobs_have_no_speed_ups_of_their_own(changes):
    with pytest.raises(ValueError, match="curves or no speed-ups"):
        run_times(**changes)


def test_run_times_are_of_no_machine():
    with pytest.raises(ValueError, match="throughput is of machines"):
        run_times(time="at", machine="vm", share="share")
