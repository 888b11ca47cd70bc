"""The options that are priced: drawn from a seed, the same on every machine.

A request simulates more paths the more its trade is worth and the more the price varies (Haque et
al., MICRO 2017, section 5.1, say so of their server; the numbers are ours).
"""

from __future__ import annotations

import zlib
from dataclasses import astuple, dataclass

import numpy as np

HELD_OUT_ONE_IN = 5
DATES = (12, 52, 252)  # monthly, weekly, daily over a year
SPOT = 100.0
# About 5 ms for a trade of worth 1 at volatility 0.35, and at most about 100 ms.
PATH_DATES = 160_000
MOST_PATH_DATES = 3_500_000
SPREAD_OF_WORTH = 1.0  # standard deviation of the logarithm
USUAL_VOLATILITY = 0.35


@dataclass(frozen=True)
class Request:
    """An option, the paths simulated for it and the seed of those, in the server's order."""

    spot: float
    strike: float
    rate: float
    volatility: float
    years: float
    dates: int
    paths: int
    seed: int


def draw(requests: int, seed: int = 2017) -> list[Request]:
    """The requests in the order of their ids."""
    rng = np.random.default_rng(seed)
    return [_one(rng, number) for number in range(requests)]


def _one(rng: np.random.Generator, number: int) -> Request:
    dates = int(rng.choice(DATES))
    volatility = round(float(rng.uniform(0.1, 0.6)), 3)
    worth = float(rng.lognormal(0.0, SPREAD_OF_WORTH))
    work = min(PATH_DATES * worth * volatility / USUAL_VOLATILITY, MOST_PATH_DATES)
    return Request(
        spot=SPOT,
        strike=float(rng.integers(80, 121)),
        rate=round(float(rng.uniform(0.0, 0.08)), 4),
        volatility=volatility,
        years=float(rng.choice((0.25, 0.5, 1.0, 2.0))),
        dates=dates,
        paths=max(round(work / dates), 1),
        seed=number,
    )


def is_held_out(request_id: int) -> bool:
    """Whether the request is kept for verification: CRC-32 of its decimal id divides by five."""
    return zlib.crc32(str(request_id).encode()) % HELD_OUT_ONE_IN == 0


def as_line(request: Request, arrival_us: float = 0.0) -> str:
    """The request as the server reads it."""
    return " ".join(str(word) for word in (round(arrival_us, 3), *astuple(request)))
