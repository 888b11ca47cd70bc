"""What the books of each window say of energy."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.experiment.window_quantities import Quantity, Sample, Samples
from tailc.forms.plan.ledger import MJ_PER_KWH, Ledger

UDOLLARS = 1_000_000
_MG_PER_KG = 1_000_000


def energy_samples(books: Sequence[Ledger]) -> Samples:
    """Brown, green and spilled energy, what a battery gave and lost, and CO2."""
    return {
        Quantity.BROWN: _kwh([one.brown_mj for one in books]),
        Quantity.GREEN: _kwh([one.green_used_mj for one in books]),
        Quantity.SPILLED: _kwh([one.spilled_mj for one in books]),
        Quantity.GIVEN: _kwh([one.discharged_mj for one in books]),
        Quantity.LOST: _kwh([one.lost_mj for one in books]),
        Quantity.CO2: Sample.of([float(one.brown_mg / _MG_PER_KG) for one in books]),
    }


def _kwh(millijoules: Sequence[int]) -> Sample:
    return Sample.of([one / MJ_PER_KWH for one in millijoules])
