"""Lagrangian bounds for the grid search over one curve, from the continuous optimum.

With the multipliers of its constraints as weights, the objective of a row is at least

    alpha W + beta T - gamma L - constant
        = integral_0^inf [alpha F'(x) c_i(x) + beta 1[x < w] - gamma F'(x)] / s_i(x) dx - constant,

F' = 1 - F; the best weights come from the separable dual. For a schedule that has done work b and
is on rung i, the integral up to b is known. The rest is at least the integral from b on of the
least integrand over rung i and later rungs.

The integrand is concave in F', being a minimum of linear functions, and F' falls with x. So on a
cell of work it is at least its chord between the values of F' at the two ends, whose integral needs
only G there, and its least value is at an end.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.intervals.kernels import LoadRows
from tailc_solvers.intervals.kernels_curves import LagrangianPrices
from tailc_solvers.ladder.kernels import DemandSteps, DualAnswer, Hull
from tailc_solvers.ladder.rows import durations, hull_of, least_costs, least_tails, rung_ends

CELLS = 256
"""Cells up to the quantile's work: a chord is off by about its share of the work, squared."""

MOST_CORNERS = 16
"""Up to this many roundings of a continuous schedule are tried; with more only the nearest."""


@dataclass(frozen=True)
class ContinuousRows:
    """Optimal ladders of all loads without a grid, for one common or mean speed-up curve.

    steps: distribution of demand. hull: the useful rungs. answer: the ladders. Used to start and to
    bound the grid search.
    """

    steps: DemandSteps
    hull: Hull
    answer: DualAnswer

    @classmethod
    def solve(
        cls, steps: DemandSteps, speeds: NDArray[np.float64], rows: LoadRows
    ) -> "ContinuousRows":
        hull = hull_of(speeds, rows.costs)
        if rows.by_cost:
            answer = least_costs(steps, hull, rows.wait_per_cost, rows.target_ms)
        else:
            answer = least_tails(steps, hull, rows.wait_per_cost)
        return cls(steps, hull, answer)

    def grid_neighbours(self, rows: LoadRows) -> NDArray[np.int64]:
        """Grid schedules next to the continuous optima, as starts of a search.

        In steps [schedules, rungs - 1].
        """
        v = durations(
            rung_ends(self.steps, self.hull, self.answer), self.hull, self.answer.value[:, 0]
        )
        v = v[np.isfinite(self.answer.primal), 1:] / rows.step_ms
        axes = v.shape[1]
        corners = [np.rint(v)]
        if 2**axes <= MOST_CORNERS:
            corners = [np.floor(v) + corner for corner in product((0.0, 1.0), repeat=axes)]
        steps = np.minimum(np.concatenate(corners), rows.longest)
        # Stretches that do not fit are cut off; NEVER takes all the remaining room.
        fitted = np.diff(np.minimum(np.cumsum(steps, axis=1), rows.longest), axis=1, prepend=0.0)
        return np.unique(fitted.astype(np.int64), axis=0)

    def prices(self, rows: LoadRows) -> LagrangianPrices:
        """Tabulate the Lagrangian bound on each row's objective, by the work that is done."""
        alpha, beta, gamma = self.answer.weights.T[:, :, None, None]
        work = self.steps.work[self.steps.rank]
        edges = np.linspace(0.0, work, CELLS + 1)
        share_after, share_before, done = _running(self.steps, edges)

        def rate(running: NDArray[np.float64], beta: NDArray[np.float64]) -> NDArray[np.float64]:
            """Least integrand on rung i or later [rows, rungs, places]."""
            time = self.hull.time[:, None]
            cost = self.hull.cost[:, None]
            each = alpha * running * cost + (beta - gamma * running) * time
            return np.minimum.accumulate(each[:, ::-1], axis=1)[:, ::-1]

        first = rate(share_after[:-1], beta)
        last = rate(share_before[1:], beta)
        drop = share_after[:-1] - share_before[1:]
        above = np.diff(done) - share_before[1:] * np.diff(edges)
        slope = np.divide(above, drop, out=np.zeros_like(drop), where=drop > 0.0)
        cells = last * np.diff(edges) + slope * (first - last)
        beyond = (self.steps.sum[-1] - done[-1]) * rate(np.ones(1), np.zeros_like(beta))
        from_end = np.concatenate([beyond, cells[..., ::-1]], axis=-1)
        return LagrangianPrices(
            alpha=alpha.ravel(),
            beta=beta.ravel(),
            gamma=gamma.ravel(),
            constant=beta.ravel() * (rows.target_ms if rows.by_cost else 0.0),
            rest=np.ascontiguousarray(np.cumsum(from_end, axis=-1)[..., ::-1]),
            rate=np.minimum(first, last),
            cells_per_ms=CELLS / work,
        )


def no_prices() -> LagrangianPrices:
    """Make an empty Lagrangian bound, for requests that do not share one speed-up curve."""
    none = np.zeros(0)
    return LagrangianPrices(none, none, none, none, np.zeros((0, 0, 0)), np.zeros((0, 0, 0)), 0.0)


def _running(
    steps: DemandSteps, places: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Share running just after and just before each place, and G there."""
    running = np.append(steps.running, 0.0)
    after = np.searchsorted(steps.work, places, side="right")
    before = np.searchsorted(steps.work, places, side="left")
    done = steps.sum[before] + (places - steps.work[before]) * running[before]
    return running[after], running[before], done
