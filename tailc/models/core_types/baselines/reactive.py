"""Reactive: one threshold after another, by a simple rule (Haque, 2016, section 5.3.4)."""

from __future__ import annotations

from tailc.forms.controller import Controller
from tailc.models.baselines.search import Search
from tailc.models.core_types.baselines.same_cores import same_cores
from tailc.models.steering import Reactive
from tailc.models.subject import Subject

# As often, and over as many requests, as a controller (Haque et al., MICRO 2017, section 5.4).
EPOCH_REQUESTS = 500
WINDOW_REQUESTS = 2_000


def reactive(policy: Subject, search: Search, *, from_start: bool) -> Subject:
    """From the policy's first row; `from_start` also measures while it converges."""
    law = Reactive(search.percentile_ppm, search.target_us, EPOCH_REQUESTS, WINDOW_REQUESTS)
    if isinstance(policy.steering, Controller):
        epoch, window = policy.steering.epoch_requests, policy.steering.window_requests
        law = Reactive(search.percentile_ppm, search.target_us, epoch, window)
    first = policy.ladders[0]
    ladder = same_cores(first, first.rows[0].climbs)
    name = "Reactive" + " from the start" * from_start
    return Subject(name, (ladder,), steering=law, measures_warm_up=from_start)
