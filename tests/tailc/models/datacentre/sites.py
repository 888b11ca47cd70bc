"""Small datacentres that tests share."""

from dataclasses import dataclass

import numpy as np

from tailc.forms.plan.plan import Terms
from tailc.models.datacentre.supply import Supply
from tailc.models.rigid_jobs.site import Site

TERMS = Terms(72_500, 60_000, 125_000)
# Three racks of two servers: a rack draws 280 W, 252 kJ in an epoch.
SMALL = Site(3, 2, 140_000, 0, 1_000, 900, TERMS)
RACK_MW = 280_000


def supply(racks, price=105_500, carbon=200_000) -> Supply:
    """Green power for so many racks, and a bit, in each epoch."""
    green = np.array(racks, np.int64) * RACK_MW
    return Supply(green, np.full(len(green), price), np.full(len(green), carbon))


@dataclass
class Known:
    """A forecast that is right, of what comes after the end nothing."""

    supply: Supply

    def ahead(self, epoch: int, epochs: int) -> Supply:
        columns = (
            self.supply.green_mw,
            self.supply.brown_udollars_per_kwh,
            self.supply.brown_mg_per_kwh,
        )
        return Supply(
            *(
                np.concatenate((one, np.zeros(epochs, np.int64)))[epoch : epoch + epochs]
                for one in columns
            )
        )
