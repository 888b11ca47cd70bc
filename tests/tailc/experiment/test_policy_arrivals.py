"""What a policy is judged under where nothing else is asked for."""

from dataclasses import replace

import numpy as np
import pytest

from tailc.errors import Code
from tailc.experiment.policy_arrivals import arrivals_of, recording_findings
from tailc.experiment.tuned_arrivals import pattern_settings
from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.arrivals import Poisson, RecordedArrivals
from tailc.models.diurnal import DayCurve
from tailc.models.modulated_arrivals import Burstiness
from tailc.models.recorded_gaps import RecordedGaps
from tests.tailc.verify.policies import EVIDENCE, policy

RECORDING = RecordedGaps(np.arange(700), "at")
BURSTS, DAY = Burstiness(8_000_000, 2_000_000), DayCurve((500_000, 1_500_000))


def tuned_for(pattern):
    aim = TuningObjective(990_000, (40_000,), (1,), 1_000_000, pattern)
    evidence = replace(EVIDENCE, settings=tuple(pattern_settings(aim).items()))
    return replace(policy(rates_mrps=(40_000, 30_000)), evidence=evidence)


@pytest.mark.parametrize("pattern", [BURSTS, DAY])
def test_a_tuned_table_is_judged_under_what_it_was_tuned_for(pattern):
    assert arrivals_of(tuned_for(pattern)) == (pattern.with_rate(30_000), pattern.with_rate(40_000))


@pytest.mark.parametrize("pattern", [None, RECORDING])
def test_what_the_policy_does_not_have_is_poisson(pattern):
    assert arrivals_of(tuned_for(pattern)) == (Poisson(30_000), Poisson(40_000))


@pytest.mark.parametrize(
    ("arrivals", "judged"), [(None, "Poisson arrivals"), ((Poisson(40_000),), "others")]
)
def test_a_table_tuned_on_a_recording_warns_where_none_judges_it(arrivals, judged):
    (warning,) = recording_findings(tuned_for(RECORDING), arrivals)
    assert warning.code is Code.NOT_AS_RECORDED
    assert warning.message == (
        f"the table was tuned for recorded arrivals, 700 of them, but is replayed with {judged}"
    )
    assert "--arrivals recorded:COLUMN" in (warning.help or "")


def test_no_warning_where_a_recording_judges_or_none_was_tuned_on():
    recorded = RecordedArrivals(np.arange(3), None, "at")
    assert not list(recording_findings(tuned_for(RECORDING), (Poisson(40_000), recorded)))
    assert not any(list(recording_findings(tuned_for(one), None)) for one in (None, BURSTS, DAY))
