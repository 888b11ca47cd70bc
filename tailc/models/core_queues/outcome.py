"""Result of a replay on core queues."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.models.core_queues.times import ChipTimes, IdleChanges, LevelTimes
from tailc.models.outcome import PoweredOutcome, free_cores_power
from tailc.percentiles import PPM

# Power of cores is in watts.
_MILLI = 1_000


@dataclass(frozen=True, eq=False)
class CoreQueuesOutcome(PoweredOutcome):
    """Result of one replay on core queues: latencies, and how long cores ran at each frequency.

    levels: core time at each frequency. idle_changes: frequency changes of cores without requests.
    chip: batch work and power limit of a chip; None if cores share nothing.
    """

    levels: LevelTimes
    idle_changes: IdleChanges
    chip: ChipTimes | None

    @property
    def saturation(self) -> float:
        """How busy the cores are, 0 to 1; near 1 the server has no spare capacity.

        If frequency levels adapt to the load, it is the utilization that the same work would have
        at the highest frequency.
        """
        if self.levels.adapts:
            return self.level_shares[-1] * self.utilization
        return self.utilization

    @property
    def level_shares(self) -> tuple[float, ...]:
        """Share of busy core time at each level, while arrivals were measured."""
        level_ns = self.sums_over_time(self.levels.level_ns)
        busy_ns = float(level_ns.sum())
        return tuple(float(at) / busy_ns if busy_ns else 0.0 for at in level_ns)

    @property
    def batch_share(self) -> float:
        """Share of core time in which a core has no request and does not halt.

        On a chip, the share of core time with batch work.
        """
        if self.chip is None:
            return 1 - self.utilization - self.idle_halted
        cores = sum(self.capacity_ppm) / PPM
        return float(self.shares_of_time(self.chip.batch_ns).sum()) / cores - self.idle_halted

    @property
    def mean_idle_power(self) -> float:
        """Mean power of cores without requests [W].

        It includes frequency changes and a chip's batch work.
        """
        idle = free_cores_power(self) if self.chip is None else self._chip_idle_power(self.chip)
        return idle + self.mean_over_time(self.idle_changes.energy)

    @property
    def idle_halted(self) -> float:
        """Share of core time in which cores without requests halt for a change of frequency."""
        cores = sum(self.capacity_ppm) / PPM
        return self.mean_over_time(self.idle_changes.halted_ns) / cores

    def _chip_idle_power(self, chip: ChipTimes) -> float:
        resting = sum(self.capacity_ppm) / PPM - self.mean_threads
        by_level = self.shares_of_time(chip.batch_ns)
        batch = float((by_level * chip.power_mw).sum()) / _MILLI
        asleep = self.energy.idle_ppm[0] / PPM
        return batch + (resting - float(by_level.sum())) * asleep
