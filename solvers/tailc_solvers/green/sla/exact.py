"""The paper's exact program: place all jobs on single racks, and decide each rack's power bus.

In addition to the rows of each job (`columns`, with racks for groups) it has these rows. k_rt is 1
if rack r is on the green bus in epoch t, y_jrt counts the green servers among x_jrt, and e_rt is
the energy of a green rack:

    k_rt <= k_(r+1)t
    sum_j x_jrt <= RC,    y_jrt <= x_jrt,    y_jrt <= min(V_j, RC) k_rt
    e_rt >= EV sum_j x_jrt + EM sum_j a_jrt - M (1 - k_rt),    sum_r e_rt <= GP_t
    u_j >= G_j - sum_rt y_jrt,    b_t >= c_t brown_t / EV

M is the energy of a full rack into which all its VMs have just moved. Energies are in
server-epochs.

Source: Haque 2016, appendix A, eq. A.1 to A.13, made linear; one row per rack forbids every brown
rack between green ones, where A.12 and A.13 allow two adjacent ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.check import verdict
from tailc_solvers.backends.linear import BackendLimits, LinearProgram, Vector
from tailc_solvers.green.sla.columns import JobVariables, add_bill, add_job, missing_rows
from tailc_solvers.green.sla.problem import Groups, Job, Plan, Racks, check_jobs
from tailc_solvers.green.sla.program import Assembly, Index
from tailc_solvers.green.sla.reduced_program import bound_of
from tailc_solvers.green.sla.solution import PlacementSolution, solution_of_answer, without_plan


@dataclass(frozen=True, eq=False)
class ExactProgram:
    """The mixed-integer program of jobs on single racks.

    Attributes:
        racks, jobs: the problem; `placed` of a running job is by rack.
        columns: numbers of each job's variables.
        green: numbers of the variables k, whether a rack is on the green bus [racks, epochs].
    """

    racks: Racks
    jobs: Sequence[Job]
    columns: tuple[JobVariables, ...]
    green: Index
    assembly: Assembly

    @classmethod
    def build(cls, racks: Racks, jobs: Sequence[Job]) -> ExactProgram:
        """Build the mixed-integer program that places these jobs on single racks.

        Raises ValueError if an array of a job does not have the dimensions of `racks`.
        """
        shape = (racks.racks, racks.energy.epochs)
        check_jobs(jobs, *shape)
        assembly = Assembly()
        room = np.full(shape, racks.servers)
        columns = tuple(add_job(assembly, job, room, racks.charges) for job in jobs)
        green = assembly.variables(shape, upper=1)
        drawn = assembly.variables(shape, integer=False)
        for r in range(racks.racks - 1):
            assembly.rows((green[r, :, None], 1.0), (green[r + 1, :, None], -1.0), upper=0)
        for one in columns:
            missing_rows(assembly, one, _green_servers(assembly, racks, one, green))
        for t in range(racks.energy.epochs):
            _epoch_rows(assembly, racks, columns, t, green[:, t], drawn[:, t])
        add_bill(assembly, racks.energy, columns, np.zeros(shape[1], dtype=np.int64))
        return cls(racks, jobs, columns, green, assembly)

    @cached_property
    def program(self) -> LinearProgram:
        return self.assembly.program()

    @cached_property
    def relaxed(self) -> LinearProgram:
        """The linear relaxation of the program: no variable must be an integer."""
        return self.assembly.program(relaxed=True)

    def plan_of(self, x: Vector) -> Plan:
        """Read the plan of jobs from a point of the program, rounded to whole servers."""
        return tuple(columns.placement(x) for columns in self.columns)

    def groups_of(self, x: Vector) -> Groups:
        """The racks with the bus that a point of the program assigns to each, one rack per group.

        Raises ValueError if a brown rack is between green ones.
        """
        racks = self.racks
        is_green = np.rint(x[self.green]) > 0
        idle = np.zeros(is_green.shape, dtype=np.int64)
        servers = np.full(racks.racks, racks.servers)
        return Groups(servers, is_green, racks.energy, racks.charges, idle, idle)


def solve_exact(
    racks: Racks, jobs: Sequence[Job], solver: Solver, limits: BackendLimits | None = None
) -> PlacementSolution:
    """Find the best plan, and the bus of each rack, by a mixed-integer program.

    The bound is from the linear relaxation.
    """
    model = ExactProgram.build(racks, jobs)
    bound = bound_of(model.relaxed, solver.answer(model.relaxed, limits))
    answer = solver.answer(model.program, limits)
    found = verdict(model.program, answer)
    if answer.point is None or found.faults:
        return without_plan(_all_brown(racks), answer, found, bound)
    x = answer.point.x
    return solution_of_answer(model.groups_of(x), jobs, model.plan_of(x), answer, bound)


def _all_brown(racks: Racks) -> Groups:
    idle = np.zeros((racks.racks, racks.energy.epochs), dtype=np.int64)
    servers = np.full(racks.racks, racks.servers)
    return Groups(servers, idle.astype(np.bool_), racks.energy, racks.charges, idle, idle)


def _green_servers(assembly: Assembly, racks: Racks, columns: JobVariables, green: Index) -> Index:
    """Variables y of a job [racks, epochs of the window]."""
    most = min(columns.job.width, racks.servers)
    y = assembly.variables(columns.servers.shape, upper=most)
    flat, bus = y.reshape(-1, 1), green[:, columns.window].reshape(-1, 1)
    assembly.rows((flat, 1.0), (columns.servers.reshape(-1, 1), -1.0), upper=0)
    assembly.rows((flat, 1.0), (bus, -float(most)), upper=0)
    return y


def _epoch_rows(
    assembly: Assembly,
    racks: Racks,
    columns: Sequence[JobVariables],
    t: int,
    green: Index,
    drawn: Index,
) -> None:
    """Add the limits of servers and energy of every rack in an epoch."""
    energy = racks.energy
    here = [one for one in columns if one.window.start <= t < one.window.stop]
    if not here:
        return
    x = np.stack([one.servers[:, t - one.window.start] for one in here], axis=1)
    a = np.stack([one.moves[:, t - one.window.start] for one in here], axis=1)
    assembly.rows((x, 1.0), upper=racks.servers)
    share = energy.move / energy.server
    most = racks.servers * (1 + share)
    terms = [(drawn[:, None], 1.0), (x, -1.0), (green[:, None], -most)]
    terms.extend([(a, -share)] if share else [])
    assembly.rows(*terms, lower=-most)
    assembly.rows((drawn[None, :], 1.0), upper=energy.green[t] / energy.server)
