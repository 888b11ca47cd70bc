"""How long slow-to-fast thresholds take: the exact dual beside general solvers, in one run.

    python -m bench.threshold_solvers [--quick]

Workload: gamma demand (shape 1.625, scale 144 ms), 8,000 requests, speeds 1, 1.2, 1.5, 1.8 and 2,
power the cube of the speed, p99 within 85 % of the slowest type's. Every general solver is asked
for one program per last type, in a child that is running already; what it answers is checked, and
that is part of its time. `tangents` are what is left of the 7,920 where a solver or its licence
takes no more. Energies are those of the thresholds found, computed anew, relative to the dual's.
Times are the least of several, taken in turns.
"""

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import minimize
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.backends.linear import BackendLimits
from tailc_solvers.ladder.kernels import DemandSteps
from tailc_solvers.ladder.rows import hull_of, least_costs, sorted_steps, sorted_weights
from tailc_solvers.sample import WeightedSample
from tailc_solvers.thresholds.convex import ConvexThresholds, propose_thresholds
from tailc_solvers.thresholds.dual import ContinuousThresholds, solve_thresholds
from tailc_solvers.thresholds.snap import snap_thresholds

from bench.published_server import demand_ms
from bench.timing import least_seconds, show

REQUESTS, RANK = 8_000, 7_920
SPEED = (1.0, 1.2, 1.5, 1.8, 2.0)
POWER = tuple(speed**3 for speed in SPEED)
SHARE_OF_SLOWEST = 0.85
MILLION = 1_000_000

LICENSED_TANGENTS = 490
"""Times four types: below the 2,000 rows of the size-limited licence."""

GRID_TANGENTS = 50
GRID_LIMITS = BackendLimits(nodes=20_000)
"""CP-SAT counts in steps; it is stopped after two units of its own time."""

KERNEL_REPEATS = 1_000
AIM_MS = 0.5
EQUAL = 1e-12


@dataclass(frozen=True)
class Way:
    """How the thresholds are found, the energy that they have, and how far that may be off."""

    find: Callable[[], float]
    most_error: float = 1e-7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    turns = 2 if parser.parse_args().quick else 9
    sample = WeightedSample.common(demand_ms(REQUESTS), [1.0])
    slowest_ms = float(np.sort(sample.demand_ms)[RANK - 1])
    target_ms = round(SHARE_OF_SLOWEST * slowest_ms, 3)
    exact = partial(solve_thresholds, sample, SPEED, POWER, rank=RANK, target_ms=target_ms)
    with ExitStack() as children:
        ways = _ways(sample, target_ms, exact, children)
        energies = {name: way.find() for name, way in ways.items()}
        _agree(ways, energies)
        seconds = least_seconds({name: way.find for name, way in ways.items()}, turns)
    kernel = _kernel(sample, target_ms)
    seconds = {"dual, multipliers alone": kernel, **seconds}
    energies = {"dual, multipliers alone": energies["dual, from raw demand"], **energies}
    best = energies["dual, from raw demand"]
    whole = seconds["dual, from raw demand"]
    show(
        ["method", "time, ms", "time, dual = 1", "energy, relative"],
        [
            [
                name,
                f"{1e3 * took:,.3f}",
                f"{took / whole:,.2f}",
                _relative(energies[name], best),
            ]
            for name, took in seconds.items()
        ],
    )
    reached = "met" if 1e3 * whole <= AIM_MS else "missed"
    print(f"{AIM_MS:g} ms from raw demand: {reached}.")


def _relative(energy: float, best: float) -> str:
    return "equal" if abs(energy / best - 1) < EQUAL else f"{energy / best - 1:+.0e}"


def _ways(
    sample: WeightedSample,
    target_ms: float,
    exact: Callable[[], ContinuousThresholds],
    children: ExitStack,
) -> dict[str, Way]:
    def proposed_energy(
        backend: Backend, tangents: int | None, limits: BackendLimits | None = None
    ) -> float:
        problem = ConvexThresholds.build(
            sample, SPEED, POWER, rank=RANK, target_ms=target_ms, most_tangents=tangents
        )
        return propose_thresholds(problem, solver[backend], limits).energy

    solver = {backend: children.enter_context(Solver(backend)) for backend in Backend}
    some = f"{LICENSED_TANGENTS} tangents"
    return {
        "dual, from raw demand": Way(lambda: exact().energy),
        "dual, and exact microseconds": Way(partial(_snapped, sample, target_ms, exact), 1e-5),
        "Clarabel": Way(partial(proposed_energy, Backend.CLARABEL, None)),
        "HiGHS": Way(partial(proposed_energy, Backend.HIGHS, None)),
        f"Clarabel, {some}": Way(
            partial(proposed_energy, Backend.CLARABEL, LICENSED_TANGENTS), 1e-4
        ),
        f"HiGHS, {some}": Way(partial(proposed_energy, Backend.HIGHS, LICENSED_TANGENTS), 1e-4),
        f"SCIP, {some}": Way(partial(proposed_energy, Backend.SCIP, LICENSED_TANGENTS), 1e-4),
        f"Gurobi, {some}": Way(partial(proposed_energy, Backend.GUROBI, LICENSED_TANGENTS), 1e-4),
        f"CP-SAT, {GRID_TANGENTS} tangents": Way(
            partial(proposed_energy, Backend.CP_SAT, GRID_TANGENTS, GRID_LIMITS), 1e-2
        ),
        "SLSQP on the thresholds": Way(partial(_slsqp, sample, target_ms), 1e-4),
    }


def _snapped(
    sample: WeightedSample, target_ms: float, exact: Callable[[], ContinuousThresholds]
) -> float:
    speed, power = ([round(MILLION * v) for v in values] for values in (SPEED, POWER))
    target_us = round(1_000 * target_ms)
    return snap_thresholds(exact(), sample, speed, power, rank=RANK, target_us=target_us).energy


def _slsqp(sample: WeightedSample, target_ms: float) -> float:
    """A local method on the work thresholds, once for each last type that can meet the target."""
    steps = sorted_steps(*sorted_weights(sample), RANK)
    w = float(steps.work[steps.rank])
    lasts = [last for last in range(1, len(SPEED)) if w / SPEED[last] <= target_ms]
    return min(_slsqp_of(steps, last, target_ms) for last in lasts)


def _slsqp_of(steps: DemandSteps, last: int, target_ms: float) -> float:
    w = float(steps.work[steps.rank])
    time, cost = 1 / np.array(SPEED[: last + 1]), np.array(POWER[: last + 1]) / SPEED[: last + 1]
    rises, gains = np.diff(cost), -np.diff(time)

    def energy(share: np.ndarray) -> float:
        return cost[-1] * steps.sum[-1] - float(rises @ np.interp(w * share, steps.work, steps.sum))

    def slope(share: np.ndarray) -> np.ndarray:
        at = np.minimum(np.searchsorted(steps.work, w * share), steps.rank)
        return -w * rises * steps.running[at]

    limits = [
        {"type": "ineq", "fun": lambda share: (target_ms - w * time[-1]) / w - gains @ share},
        {"type": "ineq", "fun": np.diff},
    ]
    found = minimize(
        energy,
        np.linspace(0, 0.5, last),
        jac=slope,
        bounds=[(0, 1)] * last,
        constraints=limits if last > 1 else limits[:1],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1_000},
    )
    return float(found.fun)


def _kernel(sample: WeightedSample, target_ms: float) -> float:
    """Seconds of one problem whose demands are sorted and summed."""
    steps = sorted_steps(*sorted_weights(sample), RANK)
    hull = hull_of(np.array(SPEED), np.array(POWER))
    none = np.zeros(KERNEL_REPEATS)
    solve = partial(least_costs, steps, hull, none, target_ms)
    return least_seconds({"kernel": solve}, 5)["kernel"] / KERNEL_REPEATS


def _agree(ways: dict[str, Way], energies: dict[str, float]) -> None:
    best = energies["dual, from raw demand"]
    for name, way in ways.items():
        error = energies[name] / best - 1
        if not -1e-9 <= error <= way.most_error:
            raise SystemExit(f"{name}: energy off by {error:+.1e}, allowed {way.most_error:g}")


if __name__ == "__main__":
    main()
