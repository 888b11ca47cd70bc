"""A reading: the whole recipe from a file of measurements to a demand profile.

A spec states it, a compile follows it, and the artifact carries it, so that a held-out trace is
read exactly as the design trace was.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from tailc.traces.profile import Measure


class TimeUnit(enum.Enum):
    """The unit of a column of times; the value is its name in a spec."""

    NS = "ns"
    US = "us"
    MS = "ms"
    S = "s"

    @property
    def in_ms(self) -> float:
        """One of this unit in milliseconds."""
        return {TimeUnit.NS: 1e-6, TimeUnit.US: 1e-3, TimeUnit.MS: 1.0, TimeUnit.S: 1e3}[self]


class SplitBy(enum.Enum):
    """What decides whether a request is held out."""

    TIME = "time"
    HASH = "hash"
    SEED = "seed"


@dataclass(frozen=True)
class SplitRule:
    """Hold out `fraction_ppm` of the requests: the latest (time), by hash of a column, or drawn.

    `column` is the time or id column, None for `seed`.
    """

    by: SplitBy
    fraction_ppm: int
    column: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.fraction_ppm < 1_000_000:
            raise ValueError("the held-out fraction must lie between 0 % and 100 %")
        if (self.column is None) != (self.by is SplitBy.SEED):
            raise ValueError("a split by time or hash needs a column; a seeded one has none")


@dataclass(frozen=True)
class Timings:
    """Columns of a long table: one row per (request, degree, repetition)."""

    request: str
    degree: str
    duration: str


@dataclass(frozen=True)
class Curve:
    """A speed-up curve: millionths at degree 1, 2, ...; `name` is the class or where it is from."""

    name: str | None
    speedup_ppm: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.speedup_ppm or min(self.speedup_ppm) <= 0:
            raise ValueError("a speed-up curve needs positive values")


@dataclass(frozen=True)
class Reading:
    """Column names and meanings; a field left None is not in the file.

    Exactly one of `demand` (a column of demands) and `timings` is given. Speed-ups come from
    `timings`, from `speedup_columns` (one per degree, for each request its own), or from `curves`:
    one for all requests, or several, chosen by the value in column `class_column`.
    `memory` is a column of the part of a demand that no clock shortens; with `clock_khz` the
    demands are compute cycles, counted at that clock, and only `memory` is in `unit`. `time`,
    `machine` and `share` are columns of measured throughput, which is read from column `demand` and
    has no speed-ups. Run times of jobs are read from it too, and have curves or no speed-ups.
    `where` keeps the rows whose column equals the text; `bin_us` merges demands into bins of that
    width (at the bin's mean) with weights. `note` is the user's reason where a response time is
    accepted as demand.
    """

    measure: Measure
    reference: str
    unit: TimeUnit
    demand: str | None = None
    timings: Timings | None = None
    weight: str | None = None
    class_column: str | None = None
    speedup_columns: tuple[str, ...] = ()
    curves: tuple[Curve, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    bin_us: int | None = None
    split: SplitRule | None = None
    note: str | None = None
    max_degree: int | None = None
    memory: str | None = field(default=None, metadata={"since": 3})
    clock_khz: int | None = field(default=None, metadata={"since": 3})
    time: str | None = field(default=None, metadata={"since": 3})
    machine: str | None = field(default=None, metadata={"since": 3})
    share: str | None = field(default=None, metadata={"since": 3})

    def __post_init__(self) -> None:
        if (self.demand is None) == (self.timings is None):
            raise ValueError("demand comes from a column or from timings: name one")
        of_machines = [self.time, self.machine, self.share]
        is_throughput = self.measure is Measure.THROUGHPUT
        if any((column is not None) != is_throughput for column in of_machines):
            raise ValueError("throughput is of machines, at times, by share: name the columns")
        if self.clock_khz is not None and (self.clock_khz <= 0 or self.memory is None):
            raise ValueError("cycles are counted at a clock, beside a column of memory time")
        self._check_speedups()
        if (len(self.curves) > 1) != (self.class_column is not None):
            raise ValueError("several curves need a class column, and a class column needs them")

    def _check_speedups(self) -> None:
        sources = [self.timings is not None, bool(self.speedup_columns), bool(self.curves)]
        if self.measure is Measure.RUN_TIME:
            if any(sources[:2]):
                raise ValueError("run times of jobs have curves or no speed-ups")
        elif sum(sources) != (0 if self.measure is Measure.THROUGHPUT else 1):
            raise ValueError("speed-ups come from timings, columns or curves: name one")
