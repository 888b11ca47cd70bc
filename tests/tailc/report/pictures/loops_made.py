"""A tuned controller of one interval, for a plant of one lag."""

from __future__ import annotations

from tailc_solvers.control.margins import margins_sampled
from tailc_solvers.control.plant import SampledPlant

from tailc.forms.controller import Actuator, Controller, GainRow
from tailc.pipeline.controller import TunedController
from tailc.pipeline.loops import IdentifiedPlant, RateInterval
from tailc.pipeline.plants import Operation, TailGrid

PLANT = SampledPlant((50.0,), (1.0, -0.5), 1)
KP, KI = 1 / 512, 1 / 256
BITS = 40
ROW = GainRow(0, round(KP / 1_000 * 2**BITS), round(KI / 1_000 * 2**BITS), 0)
RESPONSE_US = (12_000.0, 19_000.0, 22_000.0, 23_500.0)
OPERATION = Operation(20_000, 500_000, 100_000, 250_000, RESPONSE_US)
CONTROLLER = Controller(
    Actuator.CLIMB_AGES, 990_000, 100_000, 500, 1_000, 500_000, 0, 1_000_000, BITS, (ROW,)
)


def made_tuned() -> TunedController:
    interval = RateInterval(
        ROW, 40_000, OPERATION, IdentifiedPlant(PLANT, 0.4), margins_sampled(PLANT, KP, KI, 0.0)
    )
    return TunedController(CONTROLLER, TailGrid((), (), ()), (interval,))
