"""The compiled replay of frequencies against the plain one, to the nanosecond."""

import random

import pytest

from tailc.replay.outcome import Outcome
from tests.reference.replay_frequencies_plain import Server, replay_frequencies_plain
from tests.tailc.replay.frequencies.servers import random_requests, random_server, replayed

MW_PER_W = 1000


def assert_the_same(outcome: Outcome, plain: Server) -> None:
    slow = plain.arrived
    assert outcome.latency_ns.tolist() == [r.exit_ns - r.arrival_ns for r in slow], plain.table
    assert outcome.wait_ns.tolist() == [r.start_ns - r.arrival_ns for r in slow], plain.table
    assert outcome.rung.tolist() == [r.level for r in slow], plain.table
    # Sums of products of whole numbers below 2^53, but for the thousandth and the order.
    energy = [float(r.energy / MW_PER_W) for r in slow]
    assert outcome.energy.of_request == pytest.approx(energy, rel=1e-12)
    assert outcome.energy.drawn.sum() == pytest.approx(sum(energy), rel=1e-12)
    assert outcome.clock.level_ns.sum(axis=0).tolist() == plain.level_ns, plain.table
    busy_ns = outcome.clock.level_ns.sum()
    cores_ns = plain.table.cores * outcome.integrals[:, 0].sum()
    assert cores_ns - busy_ns == plain.idle_ns
    if plain.controller is None:
        assert outcome.steps is None
        return
    made = zip(
        outcome.steps.time_ns,
        outcome.steps.measured_us,
        outcome.steps.rate_mrps,
        outcome.steps.output_ppm,
        strict=True,
    )
    wanted = [(s.time_ns, s.measured_us, s.rate_mrps, s.output_ppm) for s in plain.steps]
    assert [tuple(map(int, step)) for step in made] == wanted


@pytest.mark.parametrize(
    "block", [*range(10), *(pytest.param(n, marks=pytest.mark.fuzz) for n in range(10, 80))]
)
def test_the_engine_does_what_the_plain_replay_does(block):
    """Which asks the form's own rule at every arrival and exit."""
    rng = random.Random(block)
    for _ in range(15):
        server = random_server(rng)
        requests = random_requests(rng, server.clocks)
        outcome = replayed(
            server.clocks,
            [r.arrival_ns for r in requests],
            [r.work_ns for r in requests],
            [r.memory_ns for r in requests],
            steering=server.controller,
            measured_from=rng.choice([0, 7]),
        )
        plain = Server(server.clocks.table, server.clocks.reference_khz, server.controller)
        assert_the_same(outcome, replay_frequencies_plain(plain, requests))
