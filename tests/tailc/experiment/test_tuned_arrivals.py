import numpy as np
import pytest

from tailc.experiment.tuned_arrivals import arrivals_text, pattern_from_settings, pattern_settings
from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.diurnal import DayCurve
from tailc.models.modulated_arrivals import Burstiness
from tailc.models.recorded_gaps import RecordedGaps

BURSTS, DAY = Burstiness(8_000_000, 2_000_000), DayCurve((500_000, 0, 1_500_000))


def aim(pattern):
    return TuningObjective(990_000, (40_000,), (1,), 1_000_000, pattern)


@pytest.mark.parametrize("pattern", [None, BURSTS, DAY])
def test_what_an_artifact_is_told_can_be_had_again(pattern):
    others = {"requests": 5, "rate_1_mrps": 40_000}
    assert pattern_from_settings(others | pattern_settings(aim(pattern))) == pattern


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (None, "Poisson arrivals"),
        (BURSTS, "bursts (IDC 8, spells of 2 s, 20 % busy)"),
        (DAY, "a day with the levels 0.5, 0, 1.5"),
        (RecordedGaps(np.arange(700), "at"), "recorded arrivals, 700 of them"),
    ],
)
def test_people_are_told_too(pattern, said):
    assert arrivals_text(pattern_settings(aim(pattern))) == said
