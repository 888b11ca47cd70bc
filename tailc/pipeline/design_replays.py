"""Replays of the sample that a policy is compiled from, for what a compile chooses and predicts.

The same requests come at the same times whatever the policy, so that two of them differ by what
they do. These are no promises: `verify` judges on requests that were held out.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor

from tailc.experiment.estimate import Repeats, Tail, repeated
from tailc.experiment.load import ServerUse, server_use
from tailc.experiment.options import VerifyOptions
from tailc.experiment.setting import Draw, draw, setting_for
from tailc.models.arrivals import Arrivals
from tailc.models.outcome import Outcome
from tailc.models.subject import Subject
from tailc.models.workload import Workload

# 200,000 requests at each rate: the noise of a 99th percentile is then below a per cent.
REQUESTS_PER_REPLAY = 20_000
REPLAYS = 10
SEED = 1


def design_repeats(
    subject: Subject,
    requests: Workload,
    arrivals: Arrivals,
    tails: Sequence[Tail],
    workers: Executor,
) -> Repeats[ServerUse]:
    """The percentiles under those arrivals, and how busy the server is in each replay."""
    options = VerifyOptions(requests_per_replay=REQUESTS_PER_REPLAY, seed=SEED)
    setting = setting_for(
        requests, arrivals, subject.ladders, options, subject.steering, subject.clocks
    )

    def keep(one: Draw, outcome: Outcome) -> ServerUse:
        return server_use(setting, one, outcome)

    draws = draw(setting, REPLAYS, 0, workers)
    return repeated(setting, draws, subject, tails, workers, _no_tick, keep)


def _no_tick() -> None:
    pass
