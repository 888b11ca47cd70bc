"""What a datacentre is made of, and what each epoch of a replay brings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.forms.plan.plan import Terms
from tailc.models.datacentre.storage import Storage

Whole = NDArray[np.int64]

S_PER_HOUR = 3_600
PPM = 1_000_000


@dataclass(frozen=True)
class Site:
    """Racks from the brownest to the greenest, of as many servers each.

    busy_mw, asleep_mw: what a server draws with a job and without. migration_mj: energy of moving
    what one server does, charged where it goes. failures_ppm: of 10^6 servers with a job, so many
    fail in an hour. storage: a battery on the mixed bus; None: there is none.
    """

    racks: int
    rack_servers: int
    busy_mw: int
    asleep_mw: int
    migration_mj: int
    epoch_s: int
    terms: Terms
    failures_ppm: int = 0
    storage: Storage | None = None

    def __post_init__(self) -> None:
        if min(self.racks, self.rack_servers, self.busy_mw, self.epoch_s) <= 0:
            raise ValueError("a site has racks of servers that draw power, and epochs that last")
        if not 0 <= self.asleep_mw <= self.busy_mw or self.migration_mj < 0:
            raise ValueError(
                "a sleeping server draws less than a busy one, and moving costs energy"
            )
        if not 0 <= self.failures_ppm <= PPM:
            raise ValueError("a part of servers fails")

    @property
    def servers(self) -> int:
        """Of all racks."""
        return self.racks * self.rack_servers

    @property
    def rack_mj(self) -> int:
        """What a rack draws in an epoch with all servers busy."""
        return self.rack_servers * self.busy_mw * self.epoch_s

    def green_racks(self, green_mw: Whole) -> Whole:
        """How many racks so much green power carries whole; int64, as `green_mw`."""
        most = green_mw // (self.rack_servers * self.busy_mw)
        return np.minimum(most, self.racks)


@dataclass(frozen=True, eq=False)
class Supply:
    """What each epoch brings; int64 (epochs,) each.

    green_mw: mean green power. brown_udollars_per_kwh, brown_mg_per_kwh: price and CO2 of brown
    energy.
    """

    green_mw: Whole
    brown_udollars_per_kwh: Whole
    brown_mg_per_kwh: Whole

    def __post_init__(self) -> None:
        columns = (self.green_mw, self.brown_udollars_per_kwh, self.brown_mg_per_kwh)
        if any(one.shape != self.green_mw.shape or one.dtype != np.int64 for one in columns):
            raise ValueError("a supply is int64, one value an epoch")
        if len(self.green_mw) == 0 or min(int(one.min()) for one in columns) < 0:
            raise ValueError("a supply has an epoch at least, and nothing negative")

    @property
    def epochs(self) -> int:
        """How many there are."""
        return len(self.green_mw)
