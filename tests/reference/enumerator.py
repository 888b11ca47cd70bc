"""The search of Haque et al. (ASPLOS 2015, Fig. 6 and 7), literally and in exact fractions.

Slow and obvious on purpose: every request, every schedule, every wait, one at a time. Readings of
the paper that its text leaves open:

- v_0 is the wait, v_i (i >= 1) the wall time spent on rung i, 0 where the rung is skipped.
- The times of a schedule Phi count from arrival, so they include v_0.
- The wait costs nothing, and is part of the time that the cost is averaged over (eq. 2 and 3).
- A schedule that is exactly on the budget is feasible; the tolerance is 1e-9 of the budget.
- The order statistic is number ceil(beta * total weight), counted from 1 (eq. 5).
- Finite stretches on the rungs sum to at most y, y included.
- The result is stored for every load (the pseudocode lost its indentation).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

NEVER = float("inf")
TOLERANCE = Fraction(1, 10**9)

Duration = Fraction | float
Schedule = tuple[Duration, ...]
Phi = tuple[tuple[Fraction, int], ...]


@dataclass(frozen=True)
class Request:
    demand: Fraction
    speeds: tuple[Fraction, ...]
    weight: int = 1


@dataclass(frozen=True)
class Figures:
    """Execution tail, mean execution time, mean cost-time: without the wait."""

    tail: Fraction
    mean: Fraction
    cost: Fraction


@dataclass(frozen=True)
class Winner:
    v: Schedule
    tail: Fraction
    mean: Fraction
    cost_time: Fraction
    total_cost: Fraction


@dataclass(frozen=True)
class Outcome:
    """The best schedule, None where none is feasible, and how many were evaluated."""

    winner: Winner | None
    evaluations: int


def exact(value: float | str) -> Fraction:
    """The decimal number that was written, not the binary one that is nearest."""
    return Fraction(str(value))


def stretches(request: Request, v: Schedule) -> list[Fraction]:
    """Time the request spends on each rung (eq. 1)."""
    left = request.demand
    spent = []
    for rung, speed in enumerate(request.speeds):
        is_last = rung == len(request.speeds) - 1
        needed = left / speed
        here = needed if is_last or v[rung + 1] == NEVER else min(needed, Fraction(v[rung + 1]))
        spent.append(here)
        left -= here * speed
    return spent


def figures(
    requests: list[Request], costs: tuple[Fraction, ...], v: Schedule, rank: int
) -> Figures:
    """Eq. 1 to 5 without the wait."""
    total = sum(request.weight for request in requests)
    times = []
    mean = cost = Fraction(0)
    for request in requests:
        spent = stretches(request, v)
        times += [sum(spent)] * request.weight
        mean += request.weight * sum(spent)
        cost += request.weight * sum(c * t for c, t in zip(costs, spent, strict=True))
    return Figures(sorted(times)[rank - 1], mean / total, cost / total)


def axis(step: Fraction, longest: Fraction) -> list[Fraction]:
    return [step * i for i in range(int(longest / step) + 1)]


def literal_grid(n: int, step: Fraction, longest: Fraction) -> Iterator[Schedule]:
    """The whole cube of Fig. 7, without the wait: (y / step + 1)^(n - 1) schedules."""
    for rest in product(axis(step, longest), repeat=n - 1):
        yield (Fraction(0), *rest)


def climbing_grid(n: int, step: Fraction, longest: Fraction) -> Iterator[Schedule]:
    """Finite stretches that sum to at most y, with NEVER added, and zeros after NEVER."""
    for rest in product([*axis(step, longest), NEVER], repeat=n - 1):
        never = rest.index(NEVER) if NEVER in rest else n - 1
        if sum(rest[:never]) <= longest and not any(rest[never + 1 :]):
            yield (Fraction(0), *rest)


def search(
    requests: list[Request],
    costs: tuple[Fraction, ...],
    schedules: Iterable[Schedule],
    waits: list[Fraction],
    load: Fraction,
    budget: Fraction,
    rank: int,
    target: Fraction | None = None,
) -> Outcome:
    """Least tail, or with a target least cost-time, among all waits and schedules (Fig. 7)."""
    best_key = None
    winner = None
    evaluations = 0
    for schedule in schedules:
        found = figures(requests, costs, schedule, rank)
        for wait in waits:
            evaluations += 1
            candidate = _with_wait(found, schedule, wait, load)
            if candidate.total_cost > budget * (1 + TOLERANCE):
                continue
            if target is not None and candidate.tail > target * (1 + TOLERANCE):
                continue
            key = _key(candidate, by_cost=target is not None)
            if best_key is None or key < best_key:
                best_key, winner = key, candidate
    return Outcome(winner, evaluations)


def _with_wait(found: Figures, schedule: Schedule, wait: Fraction, load: Fraction) -> Winner:
    mean = wait + found.mean
    total_cost = load * found.cost / mean
    return Winner((wait, *schedule[1:]), wait + found.tail, mean, found.cost, total_cost)


def _key(candidate: Winner, *, by_cost: bool) -> tuple:
    """Tail, mean, total cost and the schedule; cost-time before them when it is the objective."""
    keys = (
        round(candidate.tail * 10**6),
        round(candidate.mean * 10**6),
        round(candidate.total_cost * 10**9),
        candidate.v,
    )
    return (round(candidate.cost_time * 10**9), *keys) if by_cost else keys


def durations(phi: Phi, n: int) -> Schedule:
    """S of Phi = ((t_0, degree), (t_1, degree), ..): NEVER where the last degree is below n."""
    v: list[Duration] = [Fraction(0)] * n
    v[0] = phi[0][0]
    for (since, degree), (until, _) in pairwise(phi):
        v[degree] = until - since
    last = phi[-1][1]
    if last < n:
        v[last] = NEVER
    return tuple(v)


def change_points(v: Schedule) -> Phi:
    """Phi of S: when each degree that is not skipped begins, from arrival."""
    phi = []
    since = v[0]
    for degree in range(1, len(v) + 1):
        is_last = degree == len(v)
        if is_last or v[degree] > 0:
            phi.append((since, degree))
        if not is_last:
            if v[degree] == NEVER:
                break
            since += v[degree]
    return tuple(phi)
