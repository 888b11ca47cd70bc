"""Arrays that the kernels of the schedule search read and write.

K epochs and L levels are those of one run; R runs, G grids of work and T epochs are those of all.
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


class RunArrays(NamedTuple):
    """A possible run of a job: its start, and the servers, power and speed of each level.

    A level is a number of servers. start: first epoch. moves_mj: energy of a change between two
    levels; first_mj, end_mj: from the start to a level and from it to the end. length_s, waiting:
    length of each of its epochs, and the cost of running through it.
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


class LevelCosts(NamedTuple):
    """Costs of a run of a job: first epoch [L], later epochs [K, L, L], end [K, L].

    Later epochs are by old and new level (number of servers).
    """

    first: Whole
    stage: Whole
    end: Whole


class States(NamedTuple):
    """Amounts of remaining work that a job may have before each epoch, numbered by epoch.

    Attributes:
        first: number of the first state of each epoch, and of all states [K + 1].
        after: the state that each level leads to; DONE if no work remains, LOST if more remains
            than can be done [N, L].
        idle: of each epoch, the state of a job without remaining work that runs on; DONE if there
            is none [K + 1].
    """

    first: Whole
    after: Whole
    idle: Whole


class RunBatch(NamedTuple):
    """Arrays of all runs of all jobs, with buffers for the search of one run.

    Attributes:
        first: number of each job's first run, and of all runs [J + 1].
        kind: job and shape of a run, numbered together [R].
        shape, start, epochs: of a run, with its number of epochs [R].
        deadline_ms, work_left: of its job [R].
        down, up: grid of its work rounded down, and up; -1 if nothing is rounded [R].
        level: number of each kind's first level, and of all levels.
        square: number of each kind's first pair of levels.
        servers, power_mw, first_mj, end_mj, speed_ppt: as in RunArrays, of all levels.
        moves_mj: of all pairs.
        states: start of each grid's epochs in `number` and `idle`, and end of all [G + 1].
        place: start of its states in `after`, likewise.
        number, idle, after: first, idle and after of all States.
        length_s, waiting: as in RunArrays, of all epochs [T].
        room, value: buffers for costs of one run, and for values of its states.
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


class ScheduleRequests(NamedTuple):
    """Jobs whose cheapest schedules are requested, each with its branching rule (limits of a node).

    Attributes:
        job: its number [n].
        shape: its required shape, or -1 [n].
        least_epochs, most_epochs: limits of its run time [n].
        counted: number of its first rule on counts, and of all [n + 1].
        counts: epoch, least and most servers of each rule.
    """

    job: Whole
    shape: Whole
    least_epochs: Whole
    most_epochs: Whole
    counted: Whole
    counts: Whole


class ScheduleResults(NamedTuple):
    """Results of a search: the cheapest schedule of each requested job, its cost and a bound.

    Attributes:
        least, bound: the least cost of a schedule, and a lower bound on it, from work rounded up
            [n].
        run, length: number of the cheapest schedule's run, and its length in epochs [n].
        servers: of the cheapest schedule, from its start on [n, T].
    """

    least: Whole
    bound: Whole
    run: Whole
    length: Whole
    servers: Whole
