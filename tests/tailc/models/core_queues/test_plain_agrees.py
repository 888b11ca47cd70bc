"""The compiled replay of frequencies against the plain one, to the nanosecond."""

import random
from dataclasses import replace

import pytest

from tailc.models.core_queues.clocks import FixedLevel, Hardware, HardwareObjective
from tailc.models.core_queues.hardware import levels_by_state
from tailc.models.core_queues.outcome import CoreQueuesOutcome
from tests.reference.replay_frequencies_plain import Server, replay_frequencies_plain
from tests.tailc.models.core_queues.servers import (
    random_requests,
    random_server,
    replayed,
    with_random_chip,
    with_random_transition,
)

MW_PER_W = 1000
HOW_FAR = ("unchanged", "batch-slowed", "batch-stopped", "requests-slowed")


def assert_the_same(outcome: CoreQueuesOutcome, plain: Server) -> None:
    slow = plain.arrived
    assert outcome.latency_ns.tolist() == [r.exit_ns - r.arrival_ns for r in slow], plain.table
    assert outcome.wait_ns.tolist() == [r.start_ns - r.arrival_ns for r in slow], plain.table
    assert outcome.rung.tolist() == [r.level for r in slow], plain.table
    # Sums of products of whole numbers below 2^53, but for the thousandth and the order.
    energy = [float(r.energy / MW_PER_W) for r in slow]
    assert outcome.energy.of_request == pytest.approx(energy, rel=1e-12)
    assert outcome.energy.drawn.sum() == pytest.approx(sum(energy), rel=1e-12)
    assert outcome.idle_changes.halted_ns.sum() == plain.idle_halted_ns, plain.table
    assert outcome.idle_changes.energy.sum() == plain.idle_changes_nj, plain.table
    assert outcome.levels.level_ns.sum(axis=0).tolist() == plain.level_ns, plain.table
    assert_no_core_time_is_lost(outcome, plain)
    if plain.controller is None:
        assert not len(outcome.steps.time_ns)
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


def assert_no_core_time_is_lost(outcome: CoreQueuesOutcome, plain: Server) -> None:
    used_ns = outcome.levels.level_ns.sum()
    cores_ns = plain.table.cores * outcome.integrals[:, 0].sum()
    if (chip := outcome.chip) is not None:
        assert chip.batch_ns.sum(axis=0).tolist() == plain.batch_ns
        limited_ns = dict.fromkeys(HOW_FAR, 0) | plain.limited_ns
        assert chip.limited_ns.sum(axis=0).tolist() == [limited_ns[each] for each in HOW_FAR]
        used_ns += chip.batch_ns.sum()
    assert cores_ns - used_ns == plain.idle_ns


@pytest.mark.parametrize(
    "block", [*range(5), *(pytest.param(n, marks=pytest.mark.fuzz) for n in range(5, 80))]
)
def test_the_engine_does_what_the_plain_replay_does(block):
    """Which asks the form's own rule at every arrival and exit."""
    rng = random.Random(block)
    for _ in range(15):
        server = with_random_transition(rng, random_server(rng))
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


@pytest.mark.parametrize(
    "block", [*range(5), *(pytest.param(n, marks=pytest.mark.fuzz) for n in range(5, 80))]
)
def test_a_chip_does_what_the_plain_replay_does(block):
    """Which takes the compiler's steps to stay within the limit after every event."""
    rng = random.Random(block)
    for _ in range(15):
        server = with_random_transition(rng, random_server(rng))
        at = with_random_chip(rng, server.clocks)
        rule = rng.choice([None, None, FixedLevel(rng.randrange(len(at.table.levels)))])
        if rng.random() < 0.3:
            rule = Hardware(
                rng.choice(list(HardwareObjective)), rng.choice([1_000, 50_000, 300_000])
            )
        at = replace(at, rule=rule)
        requests = random_requests(rng, at)
        steering = server.controller if rule is None else None
        plain = Server(at.table, at.reference_khz, steering, chip=at.chip)
        if isinstance(rule, FixedLevel):
            plain.choose = lambda _, level=rule.level: level
        if isinstance(rule, Hardware):
            chosen = levels_by_state(at.table, at.chip, at.reference_khz, rule.aim).tolist()
            plain.choose, plain.hardware = lambda _: 0, chosen.__getitem__
            plain.every_ns = rule.every_ns
        outcome = replayed(
            at,
            [r.arrival_ns for r in requests],
            [r.work_ns for r in requests],
            [r.memory_ns for r in requests],
            steering=steering,
            measured_from=rng.choice([0, 7]),
        )
        assert_the_same(outcome, replay_frequencies_plain(plain, requests))
