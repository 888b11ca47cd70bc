"""What the search for schedules reads and writes, as arrays that loops can take.

K epochs and L levels are those of one run, and R runs, G grids of work and T epochs those of all.
Counts of levels ascend; energy is in mJ, costs are in billionths.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Vector = NDArray[np.float64]

NANO = 1_000
"""Billionths in a micro-unit."""


class Parts(NamedTuple):
    """One run: its first epoch; servers, power, moves between them, from the start and to the end,
    and speed by level; length of its epochs, and what running through each costs.
    """

    start: int
    servers: Whole
    power_mw: Whole
    moves_mj: Whole
    first_mj: Whole
    end_mj: Whole
    speed_ppt: Whole
    length_s: Whole
    waiting: Vector


class Costs(NamedTuple):
    """Of the first epoch [L], each later one after and on a level [K, L, L], of ending [K, L]."""

    first: Whole
    stage: Whole
    end: Whole


class States(NamedTuple):
    """Amounts of work left, numbered by epoch.

    Attributes:
        first: number of the first state of each epoch, and of all states [K + 1].
        after: the state that each level leads to; DONE where no work is left, LOST where more is
            left than can be done [N, L].
        idle: of each epoch, the state of a job without work left that runs on; DONE where there is
            none [K + 1].
    """

    first: Whole
    after: Whole
    idle: Whole


class Batch(NamedTuple):
    """All runs of all jobs, one after another, and room to search one of them.

    Attributes:
        first: number of each job's first run, and of all runs [J + 1].
        kind: which job and shape a run is of, counted together [R].
        shape, start, epochs: of a run, and how many epochs it has [R].
        deadline_ms, work_left: of its job [R].
        down, up: grid of its work rounded down, and up; -1 where nothing is rounded [R].
        level: number of each kind's first level, and of all levels.
        square: number of each kind's first pair of levels.
        servers, power_mw, first_mj, end_mj, speed_ppt: as in Parts, of all levels.
        moves_mj: of all pairs.
        states: where each grid's epochs begin in `number` and `idle`, and where all end [G + 1].
        place: where its states begin in `after`, likewise.
        number, idle, after: first, idle and after of all States.
        length_s, waiting: as in Parts, of all epochs [T].
        room, value: for costs of one run, and for values of its states.
    """

    first: Whole
    kind: Whole
    shape: Whole
    start: Whole
    epochs: Whole
    deadline_ms: Whole
    work_left: Whole
    down: Whole
    up: Whole
    level: Whole
    square: Whole
    servers: Whole
    power_mw: Whole
    first_mj: Whole
    end_mj: Whole
    speed_ppt: Whole
    moves_mj: Whole
    states: Whole
    place: Whole
    number: Whole
    idle: Whole
    after: Whole
    length_s: Whole
    waiting: Vector
    room: Whole
    value: Whole


class Asked(NamedTuple):
    """Jobs whose least schedules are wanted, and the rule on each.

    Attributes:
        job: its number [n].
        shape: that it must have, or -1 [n].
        least_epochs, most_epochs: that it runs for [n].
        counted: number of its first rule on counts, and of all [n + 1].
        counts: epoch, least and most servers of each.
    """

    job: Whole
    shape: Whole
    least_epochs: Whole
    most_epochs: Whole
    counted: Whole
    counts: Whole


class Answers(NamedTuple):
    """What is found for each asked job.

    Attributes:
        least, bound: the least cost of a schedule, and of all that work rounded up admits [n].
        run, length: of the least schedule, in epochs [n].
        servers: of it, from its start on [n, T].
    """

    least: Whole
    bound: Whole
    run: Whole
    length: Whole
    servers: Whole
