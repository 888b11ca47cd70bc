"""Evidence of one row of a policy: its objective, a bound, and the predicted tail."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RowEvidence:
    """Proved and predicted figures of a ladder's row for one load, from the compile.

    Rows of equal content are not yet merged. Times in us, costs in millionths. `bound_us` is a
    proved lower bound on the objective (us of tail, us of cost-time, or energy in millionths of the
    unit of power times us), None if unknown; the gap is the objective minus the bound.
    `tail_low_us` and `tail_high_us` are the limits of the tail's 95 % confidence interval over the
    design trace; `tail_high_us` is None if the trace is too small.
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
        """Largest possible improvement by the best schedule [us]; None without a bound."""
        return None if self.bound_us is None else self.objective_us - self.bound_us
