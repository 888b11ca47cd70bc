"""Where the power of a core of some speed is from: published tables, and models of them.

Tables are looked up by paper and performance, never by name: the papers call different cores
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
    """One row of a table: its name there, and its peak power; frequency where it has one."""

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
    """Dynamic power as voltage squared times frequency, both proportional to speed: s^3.

    Of a slow core's (Haque, dissertation, Rutgers 2016, section 5.2.5).
    """
    return _power(speed_ppm, CUBIC_EXPONENT)


def cubic_static_ppm(peak_dynamic_ppm: int, share_ppm: int = CUBIC_STATIC_PPM) -> int:
    """The chip's static power where it is a share of the total at peak: share / (1 - share) of
    the dynamic power there. It is drawn whatever runs, so no request is charged for it.
    """
    return peak_dynamic_ppm * share_ppm // (PPM - share_ppm)


def micro_ppm(speed_ppm: int, static_share_ppm: int = 0) -> int:
    """Dynamic power s^2.73 and static power s, `static_share_ppm` of a slow core's power static.

    Free cores are gated, so static power is drawn while a core runs, and counts in its power
    (Haque et al., MICRO 2017, section 5.3, who do not print the share; 0 leaves s^2.73).
    """
    dynamic = _power(speed_ppm, MICRO_EXPONENT)
    return round(Fraction(dynamic * (PPM - static_share_ppm) + speed_ppm * static_share_ppm, PPM))


def _power(speed_ppm: int, exponent: Decimal) -> int:
    """The power of a speed in millionths, rounded; decimals give it alike on every machine."""
    return int((Decimal(speed_ppm) / PPM) ** exponent * PPM + Decimal("0.5"))


def server_saving(core_saving: float, core_share: float) -> float:
    """What is saved of a server's power where only `core_share` of it is the cores'.

    A third of it is not today, a half or two thirds may be (Haque et al., MICRO 2017, sections 1
    and 6.8).
    """
    return core_saving * core_share


def server_energy(core_energy: Sequence[float], full: float, other_share: float) -> list[float]:
    """Energies of cores with that of the rest of their server, which never rests.

    `full` is the cores' energy at peak over the same time; the rest draws `other_share` of the
    server's power at peak (Haque et al., MICRO 2017, section 6.8).
    """
    rest = full * other_share / (1 - other_share)
    return [energy + rest for energy in core_energy]
