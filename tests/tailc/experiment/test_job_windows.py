"""The same windows under a plan and baselines: what is replayed, and how often."""

from dataclasses import replace

import pytest

from tailc.errors import Code, TailcError
from tailc.experiment.job_windows import job_model, replay_all, replayable
from tailc.experiment.plan_options import PlanOptions
from tailc.models.datacentre.quantities import JobQuantity
from tailc.models.datacentre.window import NoSpeedupCurves
from tests.tailc.artifact.published import plan_policy
from tests.tailc.verify.plan import malleable_case as malleable
from tests.tailc.verify.plan import rigid_case as rigid

SUN, SUBMIT_S = [2.0] * 4, [0, 1_800]


def test_each_subject_is_replayed_once_on_each_window():
    told = []
    model = job_model(malleable.plan(), malleable.Linear(), PlanOptions())
    names = ("reactive", "nebulous")
    found = replay_all(
        model, malleable.days(SUN, SUBMIT_S), names, lambda *done_of: told.append(done_of)
    )
    assert tuple(found.baselines) == names
    # The policy, constant allocation, which run times are relative to, and both that are named.
    assert told == [(done, 8) for done in range(1, 9)]


def test_all_subjects_meet_the_same_energy():
    model = job_model(rigid.plan(), NoSpeedupCurves(), PlanOptions())
    found = replay_all(model, rigid.days(SUN, SUBMIT_S), ("first-fit", "smart-green"))
    for one in (found.policy, *found.baselines.values()):
        drawn = one[JobQuantity.GREEN].parts + one[JobQuantity.SPILLED].parts
        assert drawn * 3_600_000 == pytest.approx([3_600, 3_600])


@pytest.mark.parametrize(
    ("plan", "options", "says"),
    [
        (malleable.plan(), PlanOptions(failures_ppm=1), "which replays have no failures"),
        (malleable.plan(), PlanOptions(baselines=("first-fit",)), "baseline `first-fit` of mall"),
        (rigid.plan(), PlanOptions(baselines=("constant",)), "baseline `constant` of rigid jobs"),
    ],
)
def test_what_cannot_be_replayed_is_refused_without_any_day(plan, options, says):
    with pytest.raises(TailcError, match=says) as caught:
        replayable(replace(plan_policy(), forms=(plan,)), options)
    assert caught.value.findings[0].code is Code.USAGE


def test_speed_ups_of_days_without_any_are_not_asked_for():
    with pytest.raises(ValueError, match="the speed-up of FT"):
        NoSpeedupCurves().speedup_ppm("FT", 2, 4)
