"""Remove the rows of Slurm's `sacct` that are no ended jobs: steps of jobs, and jobs that run.

The id of a step is that of its job with a name, such as `4608.batch` and `4608.0`. The time of a
job that still runs is what has passed since its start.
"""

# pyarrow.compute makes its functions when imported, unseen by type checkers.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, Severity
from tailc.traces.arrow import text_array, truths_of
from tailc.traces.cells import Cells, chosen_rows
from tailc.units import plural

JOB_ID, STATE = "JobID", "State"
_UNFINISHED = ("RUNNING", "PENDING", "SUSPENDED", "REQUEUED", "RESIZING", "CONFIGURING")
_STEP = r"^(?P<job>[^.]+)\.[^.]+$"


def without_steps(cells: Cells, every: Cells | None = None) -> tuple[Cells, tuple[Finding, ...]]:
    """Remove steps of jobs that have a row of their own; also warn if there are any.

    every: the ids of all rows, if `cells` are only some of them. Cells without ids as text are
    unchanged.
    """
    ids = cells.columns.get(JOB_ID)
    if ids is None:
        return cells, ()
    is_step = steps_among(ids, (every or cells).columns[JOB_ID])
    if not is_step.any():
        return cells, ()
    rows = plural(int(is_step.sum()), "row")
    message = f"{rows} left out that are steps of jobs, which have their own rows"
    place = Place(cells.source, row=cells.row_of(int(np.argmax(is_step))), field=JOB_ID)
    hint = "no change is needed; `sacct -X` writes no steps"
    warning = Finding(Code.JOBS_LEFT_OUT, message, place, hint, Severity.WARNING)
    return chosen_rows(cells, ~is_step), (warning,)


def without_unfinished(cells: Cells) -> tuple[Cells, tuple[Finding, ...]]:
    """Remove jobs that have not ended, by their state; also warn if there are any.

    Cells without states as text are unchanged.
    """
    states = cells.columns.get(STATE)
    if states is None or not pa.types.is_string(states.type):
        return cells, ()
    has_not_ended = truths_of(pc.is_in(states, text_array(list(_UNFINISHED))))
    if not has_not_ended.any():
        return cells, ()
    first = int(np.argmax(has_not_ended))
    jobs = plural(int(has_not_ended.sum()), "job")
    message = f"{jobs} left out that had not ended, as state `{states[first].as_py()}` says"
    place = Place(cells.source, row=cells.row_of(first), field=STATE)
    hint = "no change is needed; list the jobs again when they have ended to include them"
    warning = Finding(Code.JOBS_LEFT_OUT, message, place, hint, Severity.WARNING)
    return chosen_rows(cells, ~has_not_ended), (warning,)


def steps_among(ids: pa.ChunkedArray, every: pa.ChunkedArray) -> NDArray[np.bool_]:
    """Whether each id is that of a step of a job in `every`; false for ids that are not text."""
    # Not by their canonical text, in which the step `4608.0` is the job.
    if not pa.types.is_string(ids.type):
        return np.zeros(len(ids), np.bool_)
    job = pc.struct_field(pc.extract_regex(ids, _STEP), "job")
    return truths_of(pc.fill_null(pc.is_in(job, every.combine_chunks()), False))
