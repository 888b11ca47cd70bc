"""Arrays that the kernels of the schedule search read and write.

A run is a job with one choice of its shape and its start. A run has K epochs and L levels (numbers
of servers, ascending). There are R runs, G grids of work and T epochs in all. Energy is in mJ,
costs are in billionths.
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
    """A possible run of a job as arrays: servers, power and speed of each level.

    Attributes:
        start: first epoch.
        servers: number of servers of each level [L].
        power_mw, speed_ppt: power, and speed in thousandths of one server's, of each level [L].
        moves_mj: energy of a change from one level to another [L, L].
        first_mj, end_mj: energy of the start on a level, and of the end from it [L].
        length_s, waiting: length of each epoch of the run, and the cost of running through it [K].
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
    """Costs of a job's run in a dynamic program over epochs, in billionths.

    first: cost of the first epoch by level, that is, number of servers [L]. stage: cost of a later
    epoch by old and new level [K, L, L]. end: cost of ending after an epoch on a level [K, L].
    """

    first: Whole
    stage: Whole
    end: Whole


class States(NamedTuple):
    """States of a job in a dynamic program over epochs: its amounts of remaining work.

    The N states of all K epochs are numbered in order of their epochs.

    Attributes:
        first: number of the first state of each epoch; the last entry is N [K + 1].
        after: next state, by state and by level in its epoch [N, L]. DONE if no work remains, LOST
            if the rest of the work cannot be done in time.
        idle: for each epoch, the state of a job that has no work left but keeps its servers; DONE
            if there is no such state [K + 1].
    """

    first: Whole
    after: Whole
    idle: Whole


class RunBatch(NamedTuple):
    """All possible runs of all jobs, concatenated in arrays, for the kernels that search schedules.

    A run is a job with one choice of shape and start; its kind is the job with the shape. Made by
    `batch_of`.

    Attributes:
        first: number of each job's first run; the last entry is R, the number of runs [J + 1].
        kind, shape, start, epochs: kind, shape, first epoch and number of epochs of each run [R].
        deadline_ms, work_left: deadline and remaining work of the run's job [R].
        down, up: number of the run's grid with work rounded down, and rounded up; -1 if nothing is
            rounded [R].
        level: number of each kind's first level; the last entry counts all levels [kinds + 1].
        square: number of each kind's first pair of levels; the last entry counts all [kinds + 1].
        servers, power_mw, first_mj, end_mj, speed_ppt: as in RunArrays, of all levels of all kinds.
        moves_mj: energy of a change, of all pairs of levels.
        states: first entry of each grid in `number` and `idle`, and their length [G + 1].
        place: first entry of each grid in `after`, and its length [G + 1].
        number, idle, after: first, idle and after of the grids' States.
        length_s, waiting: length of each epoch, and the cost of running through it [T].
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
    """Jobs whose cheapest schedules a kernel has to find, each with the branching rule of a node.

    Attributes:
        job: number of each of the n jobs [n].
        shape: its required shape, or -1 [n].
        least_epochs, most_epochs: limits of its run time [n].
        counted: number of its first row in `counts`; the last entry counts all rows [n + 1].
        counts: rules on server counts: epoch, least and most servers [rows, 3].
    """

    job: Whole
    shape: Whole
    least_epochs: Whole
    most_epochs: Whole
    counted: Whole
    counts: Whole


class ScheduleResults(NamedTuple):
    """The cheapest schedule of each requested job, written by a kernel, with its cost and a bound.

    Attributes:
        least: cost of the schedule, in billionths [n].
        bound: lower bound on the cost of every schedule of the job, from work rounded up [n].
        run, length: number of the schedule's run, and its length in epochs [n].
        servers: number of servers in each epoch from its start on [n, T].
    """

    least: Whole
    bound: Whole
    run: Whole
    length: Whole
    servers: Whole
