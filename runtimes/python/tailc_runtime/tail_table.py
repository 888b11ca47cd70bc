"""A tail table in memory: finds the lowest sufficient frequency for the queue of a core."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from tailc_runtime.controller import LARGEST_OUTPUT_PPM, LATENCY_BOUND, PPM, Controller
from tailc_runtime.counters import Counters
from tailc_runtime.errors import BadMeaning
from tailc_runtime.raw import Head, RawTailRow, RawTailTable

# c 10^6 and f (L - t - m), in cycles and in kHz ns, stay below 2^63.
LARGEST_CYCLES = 2**43
LARGEST_BOUND_US = 2**28
LARGEST_FREQUENCY_KHZ = 2**23
LARGEST_TIME_NS = 2**53 - 1
_MOST_PPM = LARGEST_OUTPUT_PPM[LATENCY_BOUND]
_NS_PER_US = 1_000
# One kHz for one ns is a millionth of a cycle.
_PARTS_PER_CYCLE = 1_000_000


class TailTable:
    """Frequencies for the cores of a server; each core serves its requests one by one.

    At every arrival and completion at a core, `level` or `frequency_khz` gives its frequency until
    the next; a core without requests sleeps. `frequencies_khz` and `power_mw` are by level,
    `sleep_power_mw` and `wake_ns` of a core without requests, `cores` of the server. With `batch`
    (least_khz, frequency_khz, power_mw) a core without requests does batch work at that frequency.
    `transition` (halt_ns, energy_nj) is the cost of a change of frequency, None without cost; the
    entries of the table include halts. A `controller` scales the bound.
    """

    def __init__(
        self, head: Head, raw: RawTailTable, controller: Controller | None, counters: Counters
    ) -> None:
        _check(raw)
        self.name = head.name
        self.kind = head.kind
        self.generation = head.generation
        self.policy_digest = head.policy_digest
        self.percentile_ppm = raw.percentile_ppm
        self.bound_us = raw.bound_us
        self.frequencies_khz = tuple(frequency for frequency, _ in raw.levels)
        self.power_mw = tuple(power for _, power in raw.levels)
        self.sleep_power_mw, self.wake_ns = raw.sleep
        self.cores = raw.cores
        self.batch = raw.batch
        self.transition = raw.transition
        self.positions = len(raw.cycles[0].left)
        self.controller = controller
        self.counters = counters
        self._least = self.frequencies_khz.index(raw.batch[0]) if raw.batch else 0
        self._cycles_from = [row.from_elapsed for row in raw.cycles]
        # In millionths of a cycle, which a frequency in kHz gets done in a nanosecond.
        self._parts = [tuple(c * _PARTS_PER_CYCLE for c in row.left) for row in raw.cycles]
        self._memory_from = [row.from_elapsed for row in raw.memory_ns]
        self._memory_ns = [row.left for row in raw.memory_ns]

    def frequency_khz(
        self,
        ages_ns: Sequence[int],
        elapsed_cycles: int = 0,
        elapsed_memory_ns: int = 0,
        scale_ppm: int | None = None,
    ) -> int:
        """Frequency of `level` [kHz]."""
        level = self.level(ages_ns, elapsed_cycles, elapsed_memory_ns, scale_ppm)
        return self.frequencies_khz[level]

    def level(
        self,
        ages_ns: Sequence[int],
        elapsed_cycles: int = 0,
        elapsed_memory_ns: int = 0,
        scale_ppm: int | None = None,
    ) -> int:
        """Index of the level at which a core runs until its next arrival or completion.

        ages_ns: time since the arrival of each request of the core, the running one first; the
        other two arguments are the cycles and memory time of the running one so far. scale_ppm:
        factor on the bound, 0 to 2,000,000; None for the current output of the controller, if there
        is one. Raises ValueError for negative arguments and NaN, and if the core has no requests.
        """
        if scale_ppm is None:
            scale_ppm = PPM if self.controller is None else self.controller.output_ppm
        if not ages_ns or not 0 <= scale_ppm <= _MOST_PPM:
            raise ValueError("`ages_ns` must not be empty, and `scale_ppm` must be 0 to 2,000,000")
        # `min` may overlook NaN, but a sum with it is NaN.
        is_valid = min(ages_ns) >= 0 and sum(ages_ns) >= 0
        if not (is_valid and elapsed_cycles >= 0 and elapsed_memory_ns >= 0):
            raise ValueError("ages and elapsed work must not be negative, nor NaN")
        top = len(self.frequencies_khz) - 1
        if len(ages_ns) > self.positions:
            self.counters.outside += 1
            return top
        parts = self._parts[bisect_right(self._cycles_from, elapsed_cycles) - 1]
        memory_ns = self._memory_ns[bisect_right(self._memory_from, elapsed_memory_ns) - 1]
        bound_ns = self.bound_us * scale_ppm // _NS_PER_US
        level = self._least
        for age_ns, needed, waits_ns in zip(ages_ns, parts, memory_ns, strict=False):
            slack_ns = bound_ns - age_ns - waits_ns
            if slack_ns <= 0:
                return top
            while level < top and self.frequencies_khz[level] * slack_ns < needed:
                level += 1
        return level


def _check(raw: RawTailTable) -> None:
    _require(0 < raw.percentile_ppm < PPM, "`percentile_ppm` must be 1 to 999,999")
    _require(0 < raw.bound_us <= LARGEST_BOUND_US, "`bound_us` must be 1 to 2^28")
    _require(raw.cores > 0, "`cores` must be at least 1")
    _check_clock(raw.reference_khz)
    frequencies = [frequency for frequency, _ in raw.levels]
    _require(
        bool(frequencies) and frequencies[0] > 0,
        "`levels` must not be empty, and `frequency_khz` must be at least 1",
    )
    _require(_ascends(frequencies), "`frequency_khz` must increase from level to level")
    _require(frequencies[-1] <= LARGEST_FREQUENCY_KHZ, "`frequency_khz` must be at most 2^23")
    powers = [power for _, power in raw.levels]
    _require(min(*powers, *raw.sleep) >= 0, "`power_mw` and `wake_ns` must not be negative")
    if raw.batch is not None:
        known = {*raw.batch[:2]} <= set(frequencies)
        _require(
            known, "`least_khz` and `frequency_khz` of `batch` must be frequencies of `levels`"
        )
        _require(raw.batch[2] >= 0, "`power_mw` must not be negative")
    _require(
        min(raw.transition or (0,)) >= 0,
        "`halt_ns` and `energy_nj` of `transition` must not be negative",
    )
    for rows, most in ((raw.cycles, LARGEST_CYCLES), (raw.memory_ns, LARGEST_TIME_NS)):
        _check_rows(rows, most)
    as_many = len(raw.cycles[0].left) == len(raw.memory_ns[0].left)
    _require(as_many, "rows of `cycles` and `memory_ns` must have the same number of positions")


def _check_clock(reference_khz: int | None) -> None:
    known = reference_khz is None or 0 < reference_khz <= LARGEST_FREQUENCY_KHZ
    _require(known, "`reference_khz` must be 1 to 2^23")


def _check_rows(rows: tuple[RawTailRow, ...], most: int) -> None:
    starts = [row.from_elapsed for row in rows]
    _require(starts[:1] == [0], "`from_elapsed` of the first row must be 0")
    _require(_ascends(starts), "`from_elapsed` must increase from row to row")
    _require(
        len({len(row.left) for row in rows}) == 1, "all rows must have the same number of positions"
    )
    for row in rows:
        _require(bool(row.left), "`left` of a row must not be empty")
        _require(
            row.left[0] >= 0 and row.left[-1] <= most,
            "`left` of a row must be 0 to 2^43 cycles or 2^53 - 1 ns",
        )
        rises = all(a <= b for a, b in itertools.pairwise(row.left))
        _require(rises, "`left` of a row must not decrease with the position")


def _ascends(values: Iterable[int]) -> bool:
    return all(a < b for a, b in itertools.pairwise(values))


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadMeaning(otherwise)
