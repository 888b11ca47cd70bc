"""How to read a series from a file: columns, unit, time zone and meaning of times."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from tailc.traces.series.series import SECONDS_PER_HOUR, SeriesQuantity
from tailc.traces.trace import Filters

# Values in one of each unit, in the unit of the quantity.
UNITS: dict[SeriesQuantity, dict[str, float]] = {
    SeriesQuantity.POWER: {"W": 1.0, "kW": 1e3, "MW": 1e6, "GW": 1e9},
    SeriesQuantity.PRICE: {
        "$/kWh": 1.0,
        "c/kWh": 0.01,
        "$/MWh": 1e-3,
        "USD/kWh": 1.0,
        "USD/MWh": 1e-3,
    },
    SeriesQuantity.CARBON: {"g/kWh": 1.0, "kg/MWh": 1.0, "kg/kWh": 1e3, "lb/MWh": 0.45359237},
    SeriesQuantity.CLOUD_COVER: {"1": 1.0, "%": 0.01, "tenths": 0.1, "oktas": 0.125},
    SeriesQuantity.IRRADIANCE: {"W/m2": 1.0, "kW/m2": 1e3},
}
# Energy in each step, for a power: watt-hours of one of each.
ENERGY_UNITS: dict[str, float] = {"Wh": 1.0, "kWh": 1e3, "MWh": 1e6, "GWh": 1e9}
# As files have them: other currencies, what is emitted, the area of irradiance that a peak scales.
_LIKELY = (
    (r"eur|€|gbp|£|chf|nok|sek|dkk", "$"),
    (r"^(ct|cents?)/", "c/"),
    (r"[- ]?co[2₂][- ]?(eq?)?", ""),
    (r"/m(\^?2|²)$", ""),
)
# Inverters draw a little at night, and pyranometers show a little less than nothing.
NIGHT_SHARE = 0.01


class Stamp(enum.Enum):
    """Whether the time of a series' row is the start or the end of its step."""

    START = "start"
    END = "end"


@dataclass(frozen=True)
class SeriesReading:
    """How to read one time series from the columns of a file.

    unit: one of `units_of(quantity)`. zone: time zone of times without one, such as
    `America/Denver`, `-07:00` or `UTC`; None if all times state their own. time_pattern: pattern of
    `strptime`; None for ISO 8601. step_s: length of a step; None for the most common difference of
    times. fill_up_to_s: gaps up to this length are filled by linear interpolation.
    skip_longer_gaps: longer gaps are marked as unknown instead of refused. night_share: negative
    powers and irradiances down to this share of the largest value are set to 0, larger ones are
    refused. where: selects the rows whose columns equal these values.
    """

    time: str
    value: str
    quantity: SeriesQuantity
    unit: str
    zone: str | None = None
    time_pattern: str | None = None
    stamp: Stamp = Stamp.START
    step_s: int | None = None
    fill_up_to_s: int = 0
    skip_longer_gaps: bool = False
    night_share: float = NIGHT_SHARE
    where: Filters = ()

    def __post_init__(self) -> None:
        if self.unit not in units_of(self.quantity):
            known = ", ".join(f"`{unit}`" for unit in units_of(self.quantity))
            raise ValueError(f"`{self.unit}` is not a unit of {self.quantity.noun}; known: {known}")
        if self.step_s is not None and self.step_s < 1:
            raise ValueError("a step must last at least one second")
        if self.fill_up_to_s < 0 or not 0 <= self.night_share < 1:
            raise ValueError(
                "the length of filled gaps and the share at night must not be negative"
            )

    def factor(self, step_s: int) -> float:
        """Factor from the unit of the file to the unit of the quantity.

        step_s: length of a step, for units of energy.
        """
        if self.unit in ENERGY_UNITS:
            return ENERGY_UNITS[self.unit] * SECONDS_PER_HOUR / step_s
        return UNITS[self.quantity][self.unit]


def units_of(quantity: SeriesQuantity) -> tuple[str, ...]:
    """Units in which a quantity can be read; for power also units of the energy in a step."""
    energies = ENERGY_UNITS if quantity is SeriesQuantity.POWER else ()
    return (*UNITS[quantity], *energies)


def likely_unit(unit: str, quantity: SeriesQuantity) -> str | None:
    """The unit of the quantity that another text likely means; None if there is none."""
    meant = unit
    for pattern, instead in _LIKELY:
        meant = re.sub(pattern, instead, meant, flags=re.IGNORECASE)
    known = {name.casefold(): name for name in units_of(quantity)}
    return known.get(meant.casefold())
