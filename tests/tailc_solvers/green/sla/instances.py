"""Small problems of rigid jobs on green and brown racks, the same for every seed."""

import numpy as np
from tailc_solvers.green.sla.problem import Charges, EnergySupply, Groups, Job, Placement, Racks

SERVER = 60
"""Energy of a busy server in an epoch in these problems [mJ]; divisible by most small numbers."""


def energy(rng: np.random.Generator, epochs: int, servers: int) -> EnergySupply:
    full = SERVER * servers
    return EnergySupply(
        green=rng.integers(0, full + 1, epochs),
        server=SERVER,
        move=int(rng.choice([0, 6, 20, 60])),
        brown_cost=rng.integers(0, 50, epochs),
    )


def small_racks(seed: int, racks: int = 3, servers: int = 2, epochs: int = 3) -> Racks:
    rng = np.random.default_rng(seed)
    charge = np.cumsum(rng.integers(0, 4, racks))
    return Racks(
        racks,
        servers,
        energy(rng, epochs, racks * servers),
        Charges(charge, int(rng.integers(0, 3))),
    )


def small_groups(seed: int, epochs: int = 4) -> Groups:
    """Some servers are taken by jobs of before."""
    groups = Groups.build(small_racks(seed, epochs=epochs))
    rng = np.random.default_rng((seed, 1))
    busy = rng.integers(0, 1 + groups.servers[:, None] // 2, groups.is_green.shape)
    return groups.with_load(busy, 0 * busy)


def small_job(seed: int, groups: int, epochs: int, width: int = 2, *, runs: bool = False) -> Job:
    """One that may start later now and then, or that runs already."""
    rng = np.random.default_rng((seed, 2))
    wide = int(rng.integers(1, width + 1))
    long = int(rng.integers(1, epochs + 1))
    first = int(rng.integers(0, epochs - long + 1))
    latest = int(rng.integers(first, epochs - long + 1)) if rng.random() < 0.3 else None
    placed = None
    if runs:
        latest = None
        placed = np.bincount(rng.integers(0, groups, wide), minlength=groups)
    return Job(
        width=wide,
        epochs=long,
        green_slots=int(rng.integers(0, wide * long + 1)),
        revenue=int(rng.integers(0, 200)) * wide,
        penalty=int(rng.integers(0, 120)),
        first_epoch=first,
        latest_start=latest,
        placed=placed,
    )


def plainly(plan) -> tuple:
    """A plan as the enumeration has it."""
    return tuple(
        None if one is None else (one.start, tuple(map(tuple, one.servers.T.tolist())))
        for one in plan
    )


def placement(one) -> Placement | None:
    """A placement of the enumeration."""
    return None if one is None else Placement(one[0], np.array(one[1], dtype=np.int64).T)
