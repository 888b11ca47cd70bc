"""How many requests the method `auto` simulates, by effort."""

from __future__ import annotations

import enum
from dataclasses import dataclass


@dataclass(frozen=True)
class JudgingSize:
    """Size of the comparison of tables: requests of a replay, replays, and bootstrap replicates."""

    requests: int
    repeats: int
    replicates: int


@dataclass(frozen=True)
class Budget:
    """The effort of the searches and comparisons of the method `auto`.

    times: budget of a search, in smallest possible budgets. starts: points from which a search
    begins. screening: replays of each table that a search can start from. leanest: replays by which
    rows with climbs are removed from a table. repeats, resamples: replays of each table in a
    comparison, and resamples of the records. judging: size of the final comparison. tuned: budget
    of tuning the best candidate, in smallest possible budgets; 0: it is not tuned. rounds: how
    often the rows of two tables are joined to a new table while no table is safe. joins_all:
    whether every setting by hand is joined, or only those that are the best at some rate.
    """

    times: int
    starts: int
    screening: int
    leanest: int
    repeats: int
    resamples: int
    judging: JudgingSize
    tuned: int
    rounds: int
    joins_all: bool


class Effort(enum.Enum):
    """How much `auto` searches: the value of the option `--effort`."""

    QUICK = "quick"
    NORMAL = "normal"
    THOROUGH = "thorough"

    @property
    def budget(self) -> Budget:
        """Look up the budget of this effort."""
        return _BUDGETS[self]


_BUDGETS = {
    Effort.QUICK: Budget(1, 1, 1, 1, 4, 20, JudgingSize(10_000, 6, 49), 0, 1, False),
    Effort.NORMAL: Budget(2, 3, 2, 10, 10, 40, JudgingSize(20_000, 10, 49), 1, 3, True),
    Effort.THOROUGH: Budget(16, 6, 2, 10, 10, 100, JudgingSize(20_000, 24, 100), 8, 3, True),
}
