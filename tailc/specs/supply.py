"""Spec keys for energy: green power and its forecast, price and CO2 of brown energy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from tailc.errors import Code
from tailc.specs.fields import (
    PERCENT_SCHEMA,
    PPM,
    Complaint,
    RefusalError,
    SpecModel,
    Whole,
    quantity,
    value_text,
)
from tailc.specs.jobs import Seed
from tailc.specs.plan_units import CarbonMg, PowerMw, PriceUdollars
from tailc.specs.series import GreenSourceSpec, SeriesSpec
from tailc.units import PERCENT

MOST_SCENARIOS = 1_000


def _part(value: object) -> int:
    ppm = quantity(PERCENT)(value)
    if ppm > PPM:
        message = f"must be at most 100 %, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `90%`"))
    return ppm


PartPpm = Annotated[int, BeforeValidator(_part), WithJsonSchema(PERCENT_SCHEMA)]
Degrees = Annotated[float, Field(ge=-180, le=360)]


class PanelsSpec(SpecModel):
    """Location and orientation of panels."""

    latitude: Degrees = Field(description="Latitude in degrees, north is positive.")
    longitude: Degrees = Field(description="Longitude in degrees, east is positive.")
    altitude_m: float = Field(
        default=0.0, alias="altitude", description="Altitude above sea level in m."
    )
    tilt: Degrees = Field(default=0.0, description="Tilt in degrees; 0 is horizontal.")
    azimuth: Degrees = Field(default=180.0, description="Azimuth in degrees, clockwise from north.")


class ScenariosSpec(SpecModel):
    """Scenarios of green power, from errors of past forecasts."""

    count: Annotated[Whole, Field(ge=2, le=MOST_SCENARIOS)] = Field(
        description="Number of scenarios."
    )
    seed: Seed = Field(default=0, examples=[1], description="Seed that chooses past days.")


class ForecastSpec(SpecModel):
    """Forecast of green power; with several sources, of the first one."""

    method: Literal["perfect", "yesterday", "last-hour", "best-day", "clear-sky"] = Field(
        default="perfect",
        description="`perfect` is the real power. `best-day` and `clear-sky` need `clouds`.",
    )
    clouds: SeriesSpec | None = Field(
        default=None, description="Cloud cover from a weather forecast."
    )
    panels: PanelsSpec | None = Field(default=None, description="Solar panels, for `clear-sky`.")
    conservatism_ppm: PartPpm = Field(
        default=PPM,
        alias="conservatism",
        description="Factor on the production under a clear sky.",
        json_schema_extra={"default": "100%"},
    )
    scenarios: ScenariosSpec | None = Field(
        default=None, description="Plan for several scenarios of the sun."
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check that the method has what it needs, and nothing that it does not use."""
        return (self._needs, self._useless)

    def _needs(self) -> list[Complaint]:
        needed = {"best-day": ("clouds",), "clear-sky": ("clouds", "panels")}
        return [
            Complaint(Code.MISSING_KEY, f"needs `{key}`", f"add `{key}`", ("method",))
            for key in needed.get(self.method, ())
            if getattr(self, key) is None
        ]

    def _useless(self) -> list[Complaint]:
        is_solar = self.method in ("best-day", "clear-sky")
        odd = [key for key in ("clouds",) if getattr(self, key) is not None and not is_solar]
        odd += ["panels"] if self.panels is not None and self.method != "clear-sky" else []
        odd += ["conservatism"] if self.conservatism_ppm != PPM and not is_solar else []
        odd += ["scenarios"] if self.scenarios is not None and self.method == "perfect" else []
        message, hint = f"has no effect on the method `{self.method}`", "remove it"
        return [Complaint(Code.CONFLICT, message, hint, (key,), ("method",)) for key in odd]


class SupplySpec(SpecModel):
    """Green power, and price and CO2 of brown energy."""

    green: Annotated[tuple[GreenSourceSpec, ...], Field(min_length=1)] = Field(
        examples=[[{"trace": "roof.csv", "column": "kw", "unit": "kW"}]],
        description="Sources of green energy; their power is added.",
    )
    price: PriceUdollars | SeriesSpec = Field(
        examples=["10.55c/kWh"], description="Price of brown energy: a price, or a series."
    )
    grid_mw: PowerMw | None = Field(
        default=None,
        alias="grid",
        examples=["50kW"],
        description="Power of the grid's connection, bought at negative prices, of which what "
        "servers do not use is thrown away. Default: negative prices count as 0.",
    )
    carbon: CarbonMg | SeriesSpec = Field(
        default=0,
        examples=["384g/kWh"],
        description="CO2 of brown energy: an intensity, or a series. Default: none.",
        json_schema_extra={"default": "0g/kWh"},
    )
    forecast: ForecastSpec = Field(default_factory=ForecastSpec)
