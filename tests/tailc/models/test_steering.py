"""How long what steers a replay takes to settle."""

import dataclasses

from tailc.forms.controller import PPM, Actuator, Controller, GainRow
from tailc.models.steering import BOUND_SETTLING_EPOCHS, settling

STILL = Controller(
    Actuator.CLIMB_AGES, 990_000, 80_000, 100, 200, PPM // 2, 0, PPM, 32, (GainRow(0, 0, 0, 0),)
)


def test_a_controller_of_a_bound_settles_for_longer():
    bound = dataclasses.replace(STILL, acts_on=Actuator.LATENCY_BOUND)
    assert settling(bound) == 200 + BOUND_SETTLING_EPOCHS * 100 > settling(STILL)
