"""The compiled replay of cores against the plain one, to the nanosecond."""

import random

import numpy as np
import pytest

from tailc.forms.controller import Controller
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.outcome import CoreTypesOutcome
from tailc.models.steering import Lookup
from tailc.models.workload import Workload
from tests.reference.replay_cores_plain import (
    Loop,
    Request,
    Server,
    controlled,
    given,
    looked_up,
    replay_cores_plain,
)
from tests.tailc.models.core_types.servers import (
    PPM,
    RandomServer,
    random_lookup,
    random_requests,
    random_server,
    requests_at_once,
)


def blocks(in_every_run: int, when_fuzzing: int) -> list:
    """Seeds of some random servers each."""
    more = range(in_every_run, when_fuzzing)
    return [*range(in_every_run), *(pytest.param(n, marks=pytest.mark.fuzz) for n in more)]


def fast(server: RandomServer, requests: list[Request]) -> CoreTypesOutcome:
    count = len(requests)
    load = Workload(
        np.array([r.work_ns for r in requests]),
        np.ones(count, np.int64),
        np.arange(count, dtype=np.int32),
        np.array([[float(s) for s in r.speed] for r in requests]),
    )
    arrival_ns = np.array([r.arrival_ns for r in requests])
    ladder_of = np.array([r.ladder for r in requests], np.int32)
    subject = CoreTypes("x", tuple(server.ladders), ladder_of, steering=server.steering)
    engine = subject.engine(1, 999, server.cut_off_us)
    return engine.replay(load, np.arange(count), arrival_ns, 0)


def loop_of(server: RandomServer) -> Loop | None:
    law = server.steering
    if law is None:
        return None
    if isinstance(law, Controller):
        return controlled(law)
    if isinstance(law, Lookup):
        return looked_up(law)
    outputs = law.outputs_ppm.tolist()
    return given(outputs, law.epoch_requests, law.window_requests, law.percentile_ppm)


def assert_the_same(outcome: CoreTypesOutcome, plain: Server, server: RandomServer) -> None:
    slow = plain.arrived
    assert outcome.latency_ns.tolist() == [r.exit_ns - r.arrival_ns for r in slow], server
    assert outcome.wait_ns.tolist() == [r.start_ns - r.arrival_ns for r in slow], server
    assert outcome.rung.tolist() == [r.rung for r in slow], server
    assert outcome.is_cut.tolist() == [r.is_cut for r in slow], server
    # Sums of products of whole numbers below 2^53, but for the order in which they are added.
    assert outcome.energy.of_request == pytest.approx([float(r.energy) for r in slow], rel=1e-12)
    assert_the_same_power(outcome, plain)
    assert_the_same_steps(outcome, plain.loop)


def assert_the_same_power(outcome: CoreTypesOutcome, plain: Server) -> None:
    """Up to the last arrival, which is what is measured."""
    drawn = float(sum(r.energy for r in plain.arrived))
    assert float(outcome.energy.drawn.sum()) == pytest.approx(drawn, rel=1e-12)
    free = sum(
        idle_ppm * (supply_ppm * outcome.integrals[:, 0].sum() - held)
        for idle_ppm, supply_ppm, held in zip(
            outcome.energy.idle_ppm,
            outcome.capacity_ppm,
            outcome.integrals[:, 2::2].sum(axis=0),
            strict=True,
        )
    )
    assert free / PPM**2 - outcome.off.sum() == pytest.approx(
        float(plain.idle_energy), rel=1e-9, abs=1e-3
    )


def assert_the_same_steps(outcome: CoreTypesOutcome, loop: Loop | None) -> None:
    if loop is None:
        assert not len(outcome.steps.time_ns)
        return
    made = zip(
        outcome.steps.time_ns,
        outcome.steps.measured_us,
        outcome.steps.rate_mrps,
        outcome.steps.output_ppm,
        strict=True,
    )
    wanted = [(s.time_ns, s.measured_us, s.rate_mrps, s.output_ppm) for s in loop.steps]
    assert [tuple(map(int, step)) for step in made] == wanted


@pytest.mark.parametrize("requests_of", [random_requests, requests_at_once])
@pytest.mark.parametrize("block", blocks(in_every_run=8, when_fuzzing=80))
def test_the_engine_does_what_the_plain_replay_does(block, requests_of):
    rng = random.Random(block)
    for _ in range(15):
        server = random_server(rng)
        requests = requests_of(rng, server)
        outcome = fast(server, requests)
        plain = replay_cores_plain(
            server.ladders, requests, cut_off_us=server.cut_off_us, loop=loop_of(server)
        )
        assert_the_same(outcome, plain, server)


@pytest.mark.parametrize("requests_of", [random_requests, requests_at_once])
@pytest.mark.parametrize("block", blocks(in_every_run=8, when_fuzzing=80))
def test_settings_are_looked_up_as_the_plain_replay_does(block, requests_of):
    rng = random.Random(block)
    for _ in range(15):
        server = random_lookup(rng)
        requests = requests_of(rng, server)
        outcome = fast(server, requests)
        plain = replay_cores_plain(
            server.ladders, requests, cut_off_us=server.cut_off_us, loop=loop_of(server)
        )
        assert_the_same(outcome, plain, server)
