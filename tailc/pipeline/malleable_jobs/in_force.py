"""Schedules of the plan that is now in force, from which the search for the next plan starts."""

from __future__ import annotations

from tailc_solvers.green.parallel.check import faults_of_column
from tailc_solvers.green.parallel.schedules import Column

from tailc.pipeline.malleable_jobs.formulation import ClusterFormulation


def columns_in_force(formulation: ClusterFormulation) -> list[Column]:
    """Schedules of jobs that the current plan contains up to their ends, as a start of a search.

    A schedule that is no longer possible is omitted.
    """
    in_force, parallel = formulation.problem.in_force, formulation.parallel
    columns: list[Column] = []
    for at, (named, job) in enumerate(zip(formulation.jobs, parallel.jobs, strict=True)):
        counts = in_force.get(named.name, ())
        runs = [epoch for epoch, count in enumerate(counts) if count]
        if not runs:
            continue
        servers = tuple(counts[runs[0] : runs[-1] + 1])
        made = (Column(at, shape, runs[0], servers) for shape in range(len(job.shapes)))
        columns += [one for one in made if not faults_of_column(parallel, one)]
    return columns
