"""Replays of the sample that a policy is compiled from, for what a compile chooses and predicts.

The same requests come at the same times whatever the policy, so that two of them differ by what
they do. These are no promises: `verify` judges on requests that were held out.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor

from tailc.experiment.experiment import experiment_for
from tailc.experiment.options import VerifyOptions
from tailc.experiment.server_use import ServerUse
from tailc.experiment.sizes import DESIGN, Seed
from tailc.experiment.tail_sample import Repeats, Tail
from tailc.models.arrivals import Arrivals
from tailc.models.execution_model import Subject
from tailc.models.workload import Workload

OPTIONS = VerifyOptions(
    requests_per_replay=DESIGN.requests, repeats=DESIGN.repeats, seed=Seed.DESIGN
)


def design_repeats(
    subject: Subject,
    requests: Workload,
    arrivals: Arrivals,
    tails: Sequence[Tail],
    workers: Executor,
) -> Repeats[ServerUse]:
    """The percentiles under those arrivals, and how busy the server is in each replay."""
    return experiment_for(OPTIONS, requests, arrivals, workers, subject).used(subject, tails)
