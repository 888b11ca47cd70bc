"""What a policy carries as proof of one row: its objective, the bound, and the tail it predicts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RowEvidence:
    """What is proved and predicted for one load, before equal rows are collapsed.

    Times in us, costs in millionths. `bound_us` is a proved lower bound on the objective (us of
    tail, us of cost-time, or energy in millionths of the unit of power times us), None where none
    is known; the gap is the objective minus it.
    `tail_low_us` and `tail_high_us` limit the tail at 95 % confidence over the design sample;
    `tail_high_us` is None where the sample is too small to have one.
    """

    load: int
    objective_us: int
    bound_us: int | None
    tail_us: int
    tail_low_us: int
    tail_high_us: int | None
    mean_us: int
    cost_time_us: int
    total_cost_ppm: int

    @property
    def gap_us(self) -> int | None:
        """How far the schedule may be from the best there is."""
        return None if self.bound_us is None else self.objective_us - self.bound_us
