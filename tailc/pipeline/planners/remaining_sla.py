"""Convert jobs of a replay to a solver's jobs, with their remaining revenue and green slots."""

from __future__ import annotations

from dataclasses import replace

from tailc_solvers.green.sla.problem import Job, green_slots_of

from tailc.forms.plan.plan import Terms
from tailc.models.datacentre.supply import Whole
from tailc.models.rigid_jobs.jobs import RunningJob, SubmittedJob
from tailc.models.rigid_jobs.site import Site
from tailc.pipeline.planners.current_schedule import previous_places
from tailc.pipeline.planners.planner_state import PlannerState


def arriving_job(site: Site, job: SubmittedJob) -> Job:
    """Convert a submitted job that would start now to a job of the solver."""
    epochs = job.epochs(site.epoch_s)
    owed = green_slots_of(job.green_ppm, job.width, epochs)
    return _job(site.terms, job.width, epochs, owed, None)


def job_within(site: Site, job: SubmittedJob, horizon: int) -> Job | None:
    """Convert the part of a job within a planning horizon to a solver's job; None if no part is.

    The job starts with the first epoch after its submission.
    """
    first = -(-job.submit_s // site.epoch_s)
    epochs = min(job.epochs(site.epoch_s), horizon - first)
    if epochs <= 0:
        return None
    owed = green_slots_of(job.green_ppm, job.width, epochs)
    return replace(_job(site.terms, job.width, epochs, owed, None), first_epoch=first)


def running_job(site: Site, state: PlannerState, one: RunningJob, epoch: int) -> Job:
    """Convert the remaining part of a running job to a job of the solver.

    A job that was admitted in this epoch can still be placed without a move.
    """
    before = previous_places(one, epoch)
    placed = None if before is None else state.by_group(before)
    epochs = one.past_epoch - epoch
    return _job(site.terms, one.width, epochs, remaining_green_slots(one, epoch), placed)


def remaining_green_slots(one: RunningJob, epoch: int) -> int:
    """Promised green slots that the job has not had yet, at most its remaining slots."""
    slots = one.width * (one.past_epoch - epoch)
    owed = one.promised_slots(one.slots + slots) - one.green_slots
    return min(max(owed, 0), slots)


def _job(terms: Terms, width: int, epochs: int, owed: int, placed: Whole | None) -> Job:
    pays = owed * terms.green_udollars + (width * epochs - owed) * terms.brown_udollars
    return Job(width, epochs, owed, pays, terms.penalty_udollars, placed=placed)
