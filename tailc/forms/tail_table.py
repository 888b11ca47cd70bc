"""The tail-table form: choose the lowest frequency at which a core's queued requests meet a bound.

A core serves its requests one after another. For each request at the core, number i counted from
the running one (0), the table has a quantile of the compute cycles and one of the memory time until
request i ends, by the amount that the running request has had. At every arrival and completion the
runtime takes the lowest frequency f with

    f >= c_i / (L - t_i - m_i)    for each request i at the core,

t_i the time since request i arrived, L the bound, and the highest frequency if a denominator is not
positive (Kasture et al., MICRO 2015, and Bartolini, 2015, eq. 3.1-3.2, whose t_i is introduced as
the time of the arrival; elapsed time is what the formula needs). All values are whole numbers
(cycles, nanoseconds and kilohertz) and no step rounds, so every runtime chooses the same.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

PPM = 1_000_000
# c 10^6 and f (L - t - m), in cycles and in kHz ns, stay below 2^63.
LARGEST_CYCLES = 2**43
# A controller may double the bound.
LARGEST_BOUND_US = 2**28
LARGEST_FREQUENCY_KHZ = 2**23
LARGEST_TIME_NS = 2**53 - 1
_NS_PER_US = 1_000
# One kHz for one ns is a millionth of a cycle.
_PARTS_PER_CYCLE = 1_000_000


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


def _ascends(values: Sequence[int]) -> bool:
    return all(a < b for a, b in itertools.pairwise(values))


@dataclass(frozen=True)
class Level:
    """A frequency, and the power of a core that serves a request at it."""

    frequency_khz: int
    power_mw: int

    def __post_init__(self) -> None:
        _require(
            0 < self.frequency_khz <= LARGEST_FREQUENCY_KHZ, "`frequency_khz` must be 1 to 2^23"
        )
        _require(self.power_mw >= 0, "`power_mw` must not be negative")


@dataclass(frozen=True)
class TailRow:
    """A row of a tail table: an upper percentile of the work until each request in the queue ends.

    The row holds once the running request has received `from_elapsed` of work, up to the next row.
    left: by position in the queue, in cycles or in nanoseconds, as `from_elapsed` is.
    """

    from_elapsed: int
    left: tuple[int, ...]

    def __post_init__(self) -> None:
        _require(self.from_elapsed >= 0, "`from_elapsed` must not be negative")
        _require(bool(self.left), "`left` of a row must not be empty")
        _require(min(self.left) >= 0, "`left` of a row must not be negative")
        rises = all(a <= b for a, b in itertools.pairwise(self.left))
        _require(rises, "`left` of a row must not decrease with the position")


@dataclass(frozen=True)
class Sleep:
    """Power of a core without requests, and the wake-up time of its next request."""

    power_mw: int
    wake_ns: int

    def __post_init__(self) -> None:
        _require(
            self.power_mw >= 0 and self.wake_ns >= 0,
            "`power_mw` and `wake_ns` of `sleep` must not be negative",
        )


@dataclass(frozen=True)
class Transition:
    """Cost of a change of a core's frequency: the core halts, and the change takes energy.

    A core that wakes up sets its frequency meanwhile, at no cost. `memory_ns` of a table includes
    halts.
    """

    halt_ns: int
    energy_nj: int

    def __post_init__(self) -> None:
        _require(
            self.halt_ns >= 0 and self.energy_nj >= 0,
            "`halt_ns` and `energy_nj` of `transition` must not be negative",
        )


@dataclass(frozen=True)
class Batch:
    """Batch work that a core does while it has no requests (Bartolini, 2015, section 3.4).

    least_khz: least frequency of requests. frequency_khz, power_mw: frequency of batch work, and
    the core's power during it.
    """

    least_khz: int
    frequency_khz: int
    power_mw: int

    def __post_init__(self) -> None:
        _require(self.power_mw >= 0, "`power_mw` must not be negative")


@dataclass(frozen=True)
class TailTable:
    """A table that gives a core's frequency from its queue: compute cycles and memory time [ns].

    The frequency is the lowest at which each request in the queue meets a bound on latency. A queue
    with more requests than a row has positions runs at the highest frequency. `reference_khz`: the
    frequency at which the demands of a trace were measured, if they are times; None: they are
    cycles, and the policy states their frequency where it describes the trace. `transition`: cost
    of a change of frequency; None: nothing.
    """

    percentile_ppm: int = field(metadata={"since": 3})
    bound_us: int
    levels: tuple[Level, ...]
    cycles: tuple[TailRow, ...]
    memory_ns: tuple[TailRow, ...]
    sleep: Sleep
    cores: int
    batch: Batch | None = None
    reference_khz: int | None = None
    transition: Transition | None = field(default=None, metadata={"since": 9})

    def __post_init__(self) -> None:
        _require(0 < self.percentile_ppm < PPM, "`percentile_ppm` must be 1 to 999,999")
        _require(0 < self.bound_us <= LARGEST_BOUND_US, "`bound_us` must be 1 to 2^28")
        _require(self.cores > 0, "`cores` must be at least 1")
        clock_khz = self.reference_khz
        known = clock_khz is None or 0 < clock_khz <= LARGEST_FREQUENCY_KHZ
        _require(known, "`reference_khz` must be 1 to 2^23")
        self._check_levels()
        for rows, most in ((self.cycles, LARGEST_CYCLES), (self.memory_ns, LARGEST_TIME_NS)):
            _check_rows(rows, most)
        _require(
            len(self.cycles[0].left) == len(self.memory_ns[0].left),
            "rows of `cycles` and `memory_ns` must have the same number of positions",
        )

    def _check_levels(self) -> None:
        _require(bool(self.levels), "`levels` must not be empty")
        _require(
            _ascends([level.frequency_khz for level in self.levels]),
            "`frequency_khz` must increase from level to level",
        )
        known = {level.frequency_khz for level in self.levels}
        if self.batch is not None:
            requested = {self.batch.least_khz, self.batch.frequency_khz}
            _require(
                requested <= known,
                "`least_khz` and `frequency_khz` of `batch` must be frequencies of `levels`",
            )

    @property
    def positions(self) -> int:
        """Largest number of requests at a core before it runs at the highest frequency."""
        return len(self.cycles[0].left)


def _check_rows(rows: tuple[TailRow, ...], most: int) -> None:
    _require(bool(rows), "`cycles` and `memory_ns` must not be empty")
    _require(rows[0].from_elapsed == 0, "`from_elapsed` of the first row must be 0")
    _require(
        _ascends([row.from_elapsed for row in rows]), "`from_elapsed` must increase from row to row"
    )
    _require(
        len({len(row.left) for row in rows}) == 1, "all rows must have the same number of positions"
    )
    _require(
        max(row.left[-1] for row in rows) <= most,
        "`left` of a row must be at most 2^43 cycles or 2^53 - 1 ns",
    )


@dataclass(frozen=True)
class QueuedRequests:
    """The queue of a core: the age of each request, and the progress of the running one.

    ages_ns: time since arrival, the running request first. elapsed_cycles, elapsed_memory_ns: work
    that the running request has received.
    """

    ages_ns: tuple[int, ...]
    elapsed_cycles: int = 0
    elapsed_memory_ns: int = 0

    def __post_init__(self) -> None:
        _require(
            bool(self.ages_ns), "`ages_ns` must not be empty: a core without requests has no level"
        )
        least = min(*self.ages_ns, self.elapsed_cycles, self.elapsed_memory_ns)
        _require(least >= 0, "ages and elapsed work must not be negative")


def internal_bound_ns(table: TailTable, scale_ppm: int = PPM) -> int:
    """The bound for the choice of frequencies, scaled by a controller, rounded down [ns]."""
    return table.bound_us * scale_ppm // _NS_PER_US


def level_for(table: TailTable, queued: QueuedRequests, scale_ppm: int = PPM) -> int:
    """Index of the frequency level of a core until its next arrival or completion.

    queued: its queue. scale_ppm: factor of the latency bound that a controller sets [1e-6].
    """
    top = len(table.levels) - 1
    if len(queued.ages_ns) > table.positions:
        return top
    cycles = row_at(table.cycles, queued.elapsed_cycles)
    memory = row_at(table.memory_ns, queued.elapsed_memory_ns)
    bound_ns = internal_bound_ns(table, scale_ppm)
    level = least_level(table)
    for position, age_ns in enumerate(queued.ages_ns):
        slack_ns = bound_ns - age_ns - memory.left[position]
        if slack_ns <= 0:
            return top
        needed = cycles.left[position] * _PARTS_PER_CYCLE
        while level < top and table.levels[level].frequency_khz * slack_ns < needed:
            level += 1
    return level


def least_level(table: TailTable) -> int:
    """Index of the lowest frequency level that runs requests; with batch work it may be above 0."""
    if table.batch is None:
        return 0
    return level_at(table, table.batch.least_khz)


def level_at(table: TailTable, frequency_khz: int) -> int:
    """Number of the frequency level of a tail table with the frequency `frequency_khz`."""
    return [level.frequency_khz for level in table.levels].index(frequency_khz)


def row_at(rows: tuple[TailRow, ...], elapsed: int) -> TailRow:
    """Find the row of a tail table for a running request that has received `elapsed` of work.

    This is the last row whose `from_elapsed` is at most `elapsed`, in the same unit: cycles or
    nanoseconds.
    """
    return rows[bisect_right([row.from_elapsed for row in rows], elapsed) - 1]
