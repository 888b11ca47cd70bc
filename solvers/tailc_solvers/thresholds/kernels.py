"""Loops of the search over climb ages: one pass over the requests for each age tried.

At level i of the search, the ages of i types are chosen. `left[i]` is the remaining work of each
request then, `late[i]` the weight of the requests that have ended late, and `energy[i]` the energy
of all requests until then in ppm ns.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.loops import inner_loops, plain_loops

ROUNDING = 1e-12
"""Relative: energies that differ by less are equal. The sums of a pass round by less."""


class RequestArrays(NamedTuple):
    """The requests of a search for climb ages as arrays: R requests, N core types.

    Attributes:
        work: in ppm ns [R].
        weight: number of requests that each entry represents [R].
        speed: on each type, in ppm [R, N].
        per_work: energy per work on each type [R, N].
        cheapest: least energy per work on type i or a later one [R, N].
        is_dearer: whether every next type costs more energy per work for all requests.
    """

    work: NDArray[np.int64]
    weight: NDArray[np.int64]
    speed: NDArray[np.int64]
    per_work: NDArray[np.float64]
    cheapest: NDArray[np.float64]
    is_dearer: bool


class AgeSearch(NamedTuple):
    """Working memory of a search for climb ages, with one entry for each level 0..N-1.

    Attributes:
        left: remaining work of each request at the level [N, R].
        late: weight of the requests that have ended late [N].
        energy: energy of all requests until the level; entry N is the least energy found [N + 1].
        chosen, best: numbers of the ages of the current and of the best candidate [N], [N - 1].
        passes: number of passes over the requests until now [1].
    """

    left: NDArray[np.int64]
    late: NDArray[np.int64]
    energy: NDArray[np.float64]
    chosen: NDArray[np.int64]
    best: NDArray[np.int64]
    passes: NDArray[np.int64]


def new_search(requests: RequestArrays) -> AgeSearch:
    """Allocate working memory for a search of climb ages."""
    R, n = requests.speed.shape
    left = np.zeros((n, R), dtype=np.int64)
    left[0] = requests.work
    energy = np.zeros(n + 1)
    energy[n] = np.inf
    late, chosen = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    return AgeSearch(left, late, energy, chosen, np.zeros(n - 1, np.int64), np.zeros(1, np.int64))


@plain_loops
def search(requests, ages, target, allowed, work):
    """Find the climb ages of least energy.

    Write them to `work.best` and the energy to `work.energy[N]`. The energy is inf if no ages meet
    the target. ages, target: in ns. allowed: weight of requests that may be late.
    """
    n = requests.speed.shape[1]
    level = np.int64(0)
    if _late_at_least(requests, level, np.int64(0), target, work) > allowed:
        return
    if n == 1:
        _finish(requests, work)
        return
    level += 1
    _enter(requests, ages, level, target, allowed, work)
    while level > 0:
        first = work.chosen[level - 1] if level > 1 else 0
        if work.chosen[level] < first:
            level -= 1
            if level > 0:
                work.chosen[level] -= 1
            continue
        bound = _advance(requests, ages, level, target, work)
        if bound >= work.energy[n] * (1.0 - ROUNDING):
            # If every next type costs more, so does every earlier age.
            work.chosen[level] = first - 1 if requests.is_dearer else work.chosen[level] - 1
        elif level == n - 1:
            _finish(requests, work)
            work.chosen[level] -= 1
        else:
            level += 1
            _enter(requests, ages, level, target, allowed, work)


@inner_loops
def _enter(requests, ages, level, target, allowed, work):
    """Choose the latest age of this level that can still meet the target.

    The age of the level before can meet it, with the rest on the fastest type.
    """
    low = work.chosen[level - 1] if level > 1 else 0
    high = ages.shape[0] - 1
    while low < high:
        middle = (low + high + 1) >> 1
        work.chosen[level] = middle
        _advance(requests, ages, level, target, work)
        if _late_at_least(requests, level, ages[middle], target, work) <= allowed:
            low = middle
        else:
            high = middle - 1
    work.chosen[level] = low


@inner_loops
def _advance(requests, ages, level, target, work):
    """Run type `level` - 1 up to its age; return the least energy of all continuations."""
    type_ = level - 1
    begin = ages[work.chosen[level - 1]] if level > 1 else 0
    stay = ages[work.chosen[level]] - begin
    late = work.late[type_]
    energy = work.energy[type_]
    rest = 0.0
    for r in range(requests.work.shape[0]):
        left = work.left[type_, r]
        if left == 0:
            work.left[level, r] = 0
            continue
        speed = requests.speed[r, type_]
        done = speed * stay
        if left <= done:
            done = left
            if left > speed * (target - begin):
                late += requests.weight[r]
        energy += requests.weight[r] * requests.per_work[r, type_] * done
        work.left[level, r] = left - done
        rest += requests.weight[r] * requests.cheapest[r, level] * (left - done)
    work.late[level] = late
    work.energy[level] = energy
    work.passes[0] += 1
    return energy + rest


@inner_loops
def _late_at_least(requests, level, age, target, work):
    """The weight that is late even if all remaining work is on the fastest type from `age`."""
    last = requests.speed.shape[1] - 1
    late = work.late[level]
    for r in range(requests.work.shape[0]):
        left = work.left[level, r]
        if left > 0 and left > requests.speed[r, last] * (target - age):
            late += requests.weight[r]
    return late


@inner_loops
def _finish(requests, work):
    """Run the last type to the end; keep the candidate if it is the best."""
    n = requests.speed.shape[1]
    energy = work.energy[n - 1]
    for r in range(requests.work.shape[0]):
        left = work.left[n - 1, r]
        energy += requests.weight[r] * requests.per_work[r, n - 1] * left
    if energy < work.energy[n]:
        work.energy[n] = energy
        for i in range(n - 1):
            work.best[i] = work.chosen[i + 1]
