"""Power of a core by its speed, from published tables and models.

Tables are searched by paper and speed, not by name, because the papers call different cores
`medium`. Powers are relative to the slow core of the same table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

PPM = 1_000_000
# "We assume static power is 20% of the total power of the chip" (Haque, dissertation, Rice
# University 2016, section 5.2.5).
CUBIC_STATIC_PPM = 200_000
CUBIC_EXPONENT = Decimal(3)
# Haque et al., MICRO 2017, section 5.3: alpha is 2.73 for dynamic and 1 for static power. It gives
# two of the three medium cores of their table 4, but 6.63 for the fast one where the table has 6.8.
MICRO_EXPONENT = Decimal("2.73")


@dataclass(frozen=True)
class PublishedCore:
    """A core of a published table: name, peak power, and frequency if it has one."""

    name: str
    power_ppm: int
    frequency_khz: int | None = None


_Table = Mapping[int, PublishedCore]

# Haque et al., MICRO 2017, table 4: performance in millionths to power of one slow AMP core.
_MICRO_AMP = {
    1_000_000: PublishedCore("slow", 1_000_000),
    1_440_000: PublishedCore("medium-", 2_700_000),
    1_590_000: PublishedCore("medium", 3_500_000),
    1_710_000: PublishedCore("medium+", 4_500_000),
    2_000_000: PublishedCore("fast", 6_800_000),
}
_MICRO_DVFS = {
    1_000_000: PublishedCore("slow", 1_700_000, 1_700_000),
    1_300_000: PublishedCore("medium-", 2_700_000, 2_200_000),
    1_600_000: PublishedCore("medium", 3_800_000, 2_700_000),
    1_900_000: PublishedCore("medium+", 5_300_000, 3_300_000),
    2_000_000: PublishedCore("fast", 6_800_000, 3_400_000),
}
# Haque, dissertation, Rutgers 2016, table 5.3: peak dynamic power.
_DISSERTATION = {
    1_000_000: PublishedCore("slow", 1_000_000),
    1_440_000: PublishedCore("medium", 3_000_000),
    1_590_000: PublishedCore("medium+", 4_000_000),
    1_710_000: PublishedCore("medium++", 5_000_000),
    2_000_000: PublishedCore("fast", 8_000_000),
}

PUBLISHED: Mapping[str, _Table] = MappingProxyType(
    {
        "micro-2017-amp": MappingProxyType(_MICRO_AMP),
        "micro-2017-dvfs": MappingProxyType(_MICRO_DVFS),
        "dissertation-2016": MappingProxyType(_DISSERTATION),
    }
)
MODELS = ("cubic", "micro-2017")


def cubic_ppm(speed_ppm: int) -> int:
    """Dynamic power relative to a slow core: s^3 at speed s.

    Power is voltage squared times frequency, and both are proportional to speed. Source: Haque,
    dissertation, Rutgers 2016, section 5.2.5.
    """
    return _power(speed_ppm, CUBIC_EXPONENT)


def cubic_static_ppm(peak_dynamic_ppm: int, share_ppm: int = CUBIC_STATIC_PPM) -> int:
    """Static power of the chip: share / (1 - share) times its dynamic power at peak.

    The power is constant, so it is not attributed to requests.
    """
    return peak_dynamic_ppm * share_ppm // (PPM - share_ppm)


def micro_ppm(speed_ppm: int, static_share_ppm: int = 0) -> int:
    """Power of a busy core: dynamic power s^2.73, plus static power s times `static_share_ppm`.

    It is relative to a slow core. Free cores are power-gated, so static power is part of the power
    of a busy core (Haque et al., MICRO 2017, section 5.3, who do not print the share; 0 gives
    s^2.73).
    """
    dynamic = _power(speed_ppm, MICRO_EXPONENT)
    return round(Fraction(dynamic * (PPM - static_share_ppm) + speed_ppm * static_share_ppm, PPM))


def _power(speed_ppm: int, exponent: Decimal) -> int:
    """Power of a speed in millionths, rounded; decimals give the same result on every machine."""
    return int((Decimal(speed_ppm) / PPM) ** exponent * PPM + Decimal("0.5"))


def server_saving(core_saving: float, core_share: float) -> float:
    """Relative power saving of a server whose cores use only `core_share` of its power.

    The share is a third today, and may become a half or two thirds (Haque et al., MICRO 2017,
    sections 1 and 6.8).
    """
    return core_saving * core_share


def server_energy(core_energy: Sequence[float], full: float, other_share: float) -> list[float]:
    """Energy of servers: that of the cores plus that of the other parts, whose power is constant.

    full: energy of the cores at peak over the same time. other_share: share of the other parts in
    the power of the server at peak (Haque et al., MICRO 2017, section 6.8).
    """
    rest = full * other_share / (1 - other_share)
    return [energy + rest for energy in core_energy]
