"""What a policy is judged under where nothing else is asked for."""

from dataclasses import replace

import numpy as np
import pytest

from tailc.replay.arrivals import Poisson
from tailc.replay.diurnal import DayCurve
from tailc.replay.modulated import Burstiness
from tailc.replay.queue_aim import QueueAim
from tailc.replay.rounds import RecordedGaps
from tailc.replay.tuned_for import pattern_settings
from tailc.verify.arrivals import arrivals_of
from tests.tailc.verify.policies import EVIDENCE, policy

BURSTS, DAY = Burstiness(8_000_000, 2_000_000), DayCurve((500_000, 1_500_000))


def tuned_for(pattern):
    aim = QueueAim(990_000, (40_000,), (1,), 1_000_000, pattern)
    evidence = replace(EVIDENCE, settings=tuple(pattern_settings(aim).items()))
    return replace(policy(rates_mrps=(40_000, 30_000)), evidence=evidence)


@pytest.mark.parametrize("pattern", [BURSTS, DAY])
def test_a_tuned_table_is_judged_under_what_it_was_tuned_for(pattern):
    assert arrivals_of(tuned_for(pattern)) == (pattern.at(30_000), pattern.at(40_000))


@pytest.mark.parametrize("pattern", [None, RecordedGaps(np.arange(700), "at")])
def test_what_the_policy_does_not_have_is_poisson(pattern):
    assert arrivals_of(tuned_for(pattern)) == (Poisson(30_000), Poisson(40_000))
