"""Sizes of the samples of replays by which tables are screened, ranked and validated."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor

from tailc.experiment.sizes import VALIDATION
from tailc.experiment.tuning_objective import TuningObjective
from tailc.tuning.operating_point import OperatingPoint
from tailc.tuning.search import fewest_requests
from tailc.tuning.table_server import TableServer
from tailc.tuning.tuning_sample import Form, TuningSample, tuning_sample


def requests_each(percentile_ppm: int) -> int:
    """Number of requests in each replay that ranks or validates tables."""
    return max(VALIDATION.requests, fewest_requests(percentile_ppm))


def screening_sample(
    server: TableServer[Form],
    scenes: Sequence[OperatingPoint],
    aim: TuningObjective,
    repeats: int,
    seed: int,
    workers: Executor,
) -> TuningSample[Form]:
    """Make a small sample of replays, which selects tables for a search or a comparison."""
    return tuning_sample(
        scenes,
        aim.percentile_ppm,
        server.cores,
        requests=2 * fewest_requests(aim.percentile_ppm),
        repeats=repeats,
        seed=seed,
        workers=workers,
        subject_of=server.subject_of,
    )


def validation_sample(
    server: TableServer[Form],
    scenes: Sequence[OperatingPoint],
    aim: TuningObjective,
    seed: int,
    workers: Executor,
    repeats: int = VALIDATION.repeats,
) -> TuningSample[Form]:
    """Make a large sample of replays, with its own random numbers, to rank or validate tables.

    scenes: operating points, such as arrival rates.
    """
    return tuning_sample(
        scenes,
        aim.percentile_ppm,
        server.cores,
        requests=requests_each(aim.percentile_ppm),
        repeats=repeats,
        seed=seed,
        workers=workers,
        subject_of=server.subject_of,
    )
