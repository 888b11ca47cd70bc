"""Replay policies on the design trace, for choices and estimates of a compile.

All policies serve the same requests at the same times, so differences come from the policies alone.
The results are estimates; only `verify` gives verdicts, on held-out requests.
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
    """Replay a policy under `arrivals`, and collect percentiles and the server's use of resources.

    tails: the percentiles. The result has one item for each replication.
    """
    return experiment_for(OPTIONS, requests, arrivals, workers, subject).replay_with_use(
        subject, tails
    )
