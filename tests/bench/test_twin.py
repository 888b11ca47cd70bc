"""The C++ twin of the replay engine writes what the engine writes, to the bit."""

import dataclasses
import random
import shutil

import numpy as np
import pytest

from bench.replay import replay
from bench.twin import Twin, differences
from tailc.models.shared_cores.arrays import ladder_arrays
from tailc.models.workload import Workload
from tests.tailc.models.shared_cores.servers import MS, random_ladder

LADDERS = 300
REQUESTS = 60


@pytest.fixture(scope="module")
def twin() -> Twin:
    built = Twin.build()
    if built is None:
        pytest.skip("no g++")
    return built


def random_load(rng: random.Random, rungs: int) -> Workload:
    speed = np.array([[1 + rng.random() * i for i in range(rungs)] for _ in range(2)])
    return Workload(
        np.array([rng.choice([1, 5, 8, 20, 80]) * MS + rng.randrange(3) for _ in range(REQUESTS)]),
        np.ones(REQUESTS, np.int64),
        np.array([rng.randrange(2) for _ in range(REQUESTS)], dtype=np.int32),
        speed,
    )


@pytest.mark.parametrize("most_in_system", [6, 64])
def test_twin_and_engine_agree_on_random_ladders(twin, most_in_system):
    rng = random.Random(most_in_system)
    for _ in range(LADDERS):
        policy = random_ladder(rng)
        load = random_load(rng, len(policy.rungs))
        arrival_ns = np.cumsum([rng.choice([0, 1, 5, 8]) * MS for _ in range(REQUESTS)])
        table = ladder_arrays((policy,), 1000, most_in_system)
        run = (load, np.arange(REQUESTS), arrival_ns, table, most_in_system, REQUESTS // 10)
        assert not differences(replay(*run), twin.replay(*run)), policy


def test_twin_and_engine_agree_on_requests_of_an_hour(twin):
    rng, hour = random.Random(1), 3_600_000 * MS
    policy = random_ladder(rng, 4)
    load = dataclasses.replace(random_load(rng, 4), work_ns=np.full(REQUESTS, hour))
    table = ladder_arrays((policy,), 1000, 64)
    run = (load, np.arange(REQUESTS), np.arange(REQUESTS) * hour, table, 64)
    ours = replay(*run)
    assert not differences(ours, twin.replay(*run))
    assert (ours.integrals >= 0).all()


def test_without_a_compiler_there_is_no_twin(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert Twin.build() is None
