"""The last step at which a target is met, sought from anywhere."""

import math

import pytest

from tailc.experiment.feasibility_boundary import last_met

STEPS = 200


@pytest.mark.parametrize("last", [0, 1, 7, 86, 130, STEPS - 1, STEPS])
@pytest.mark.parametrize("begin", [1, 90, STEPS])
@pytest.mark.parametrize("power", [1, 3])
def test_the_last_step_that_meets_is_found_in_few_looks_wherever_it_is_sought(last, begin, power):
    looked = []

    def margin(step: int) -> float:
        looked.append(step)
        return math.copysign(abs((last + 0.5 - step) / 50) ** power, last + 0.5 - step)

    assert last_met(margin, begin, 0.02, STEPS) == last
    assert len(looked) == len(set(looked)) <= 18
