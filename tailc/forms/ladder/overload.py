"""Overload rules of a ladder: refuse, degrade or cut off requests if a server cannot serve all."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.percentiles import PPM


@dataclass(frozen=True)
class Overload:
    """Parameters of the overload rules; each belongs to its rule.

    `shed_from` (rule shed): a request that arrives with this many or more in the system is refused.
    `cut_off_us` (cut-off): a running request of this age leaves with its present result.
    `degrade_from`, `work_ppm` (degrade): of a request that arrives with `degrade_from` or more in
    the system, only `work_ppm` millionths of the work are done. The arriving request itself is not
    counted.
    """

    # All are optional: the released format has one flat table for any set of these rules.
    shed_from: int | None = None
    cut_off_us: int | None = None
    degrade_from: int | None = None
    work_ppm: int | None = None

    def __post_init__(self) -> None:
        if self.shed_from is not None and self.shed_from < 1:
            raise ValueError("`shed_from` must be at least 1")
        if self.cut_off_us is not None and self.cut_off_us < 1:
            raise ValueError("`cut_off_us` must be at least 1")
        self._check_degraded()

    def _check_degraded(self) -> None:
        if (self.degrade_from is None) != (self.work_ppm is None):
            raise ValueError("`degrade_from` and `work_ppm` must both be present or both be absent")
        if self.degrade_from is None or self.work_ppm is None:
            return
        if self.degrade_from < 0:
            raise ValueError("`degrade_from` must not be negative")
        if not 0 < self.work_ppm < PPM:
            raise ValueError("`work_ppm` must be 1 to 999,999")
        if self.shed_from is not None and self.degrade_from >= self.shed_from:
            raise ValueError("`degrade_from` must be below `shed_from`")

    def refuses(self, in_system: int) -> bool:
        """Whether a request that arrives with `in_system` others is refused."""
        return self.shed_from is not None and in_system >= self.shed_from

    def work_of(self, in_system: int) -> int:
        """Share of its work that a request does if it arrives with `in_system` others [1e-6]."""
        if self.degrade_from is None or self.work_ppm is None or in_system < self.degrade_from:
            return PPM
        return self.work_ppm

    def cuts_off(self, age_us: int) -> bool:
        """Whether a running request of this age is cut off by a rule for overload."""
        return self.cut_off_us is not None and age_us >= self.cut_off_us


NO_OVERLOAD = Overload()
