"""Helpers of test_planner_state.py that other tests use too."""

import numpy as np

from tailc.models.rigid_jobs.jobs import RunningJob, SubmittedJob
from tailc.models.rigid_jobs.planner import View
from tests.tailc.models.datacentre.sites import SMALL, supply


def view(racks, running=(), site=SMALL, epoch=0) -> View:
    """Racks that are expected to be green in the epochs from `epoch` on."""
    busy = np.zeros((site.racks, epoch + len(racks)), np.int64)
    for one in running:
        busy[:, one.first_epoch : one.past_epoch] += one.places
    return View(site, epoch, supply(racks), busy, tuple(running))


def running(number, places, first_epoch=0, green_ppm=0) -> RunningJob:
    places = np.array(places, np.int64)
    width, epochs = int(places[:, 0].sum()), places.shape[1]
    job = SubmittedJob(number, 0, 900 * epochs, width, green_ppm)
    return RunningJob(job, first_epoch, epochs, width, places)
