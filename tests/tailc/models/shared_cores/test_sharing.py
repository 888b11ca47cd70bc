"""Starts by what is in use and requests that give up: by hand, and against the plain replay."""

import dataclasses
import random

import pytest

from tailc.errors import TailcError
from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import CostUnit, Rule
from tailc.models.shared_cores.arrays import ladder_arrays
from tests.tailc.models.shared_cores.engine_case import (
    assert_alike,
    blocks,
    both,
    latency_ms,
    random_requests,
    requests_at_once,
    run,
)
from tests.tailc.models.shared_cores.servers import (
    MS,
    PPM,
    at_once,
    ladder,
    sharing,
    sharing_server,
)


def waits_ms(outcome) -> list[float]:
    return [float(ns / MS) for ns in outcome.wait_ns]


def test_a_request_starts_while_less_than_the_limit_is_in_use():
    # two threads each: the second starts beside two, the third not beside four
    policy = sharing(ladder(at_once((0, 1)), cores=8), Sharing(0, 3 * PPM))
    assert waits_ms(run(policy, [0, 0, 0], [20, 40, 20])) == [0, 0, 10]


def test_an_exit_starts_as_many_as_there_is_room_for():
    # four threads leave, and two requests of two come in: an exit alone would start one of them
    rows = at_once((0, 3), last=1), at_once((0, 1), first=2)
    policy = sharing(ladder(*rows, cores=4), Sharing(0, 4 * PPM))
    assert waits_ms(run(policy, [0, 5, 5], [40, 10, 10])) == [0, 5, 5]


def test_one_that_gives_up_falls_to_the_first_rung_at_its_tick():
    policy = sharing(ladder(at_once((0, 3))), Sharing(give_up_us=12_000))
    # at 15 ms: 60 ms of work are done
    assert latency_ms(run(policy, [0], [100])) == [15 + 40]


def test_one_that_gives_up_never_climbs_again():
    policy = sharing(ladder(at_once((0, 0), (5, 1), (20, 3))), Sharing(give_up_us=10_000))
    assert latency_ms(run(policy, [0], [100])) == [10 + 85]


def test_one_that_has_waited_too_long_starts_on_the_first_rung():
    policy = ladder(at_once((0, 1)), cores=2)
    policy = dataclasses.replace(policy, rules=(Rule.AGE_FROM_ARRIVAL, *policy.rules))
    policy = sharing(policy, Sharing(0, PPM, 30_000))
    # the first gives up at 30 ms, and leaves 20 ms later, when the second has waited for 45 ms
    outcome = run(policy, [0, 5], [80, 7])
    assert latency_ms(outcome) == [50, 45 + 7]


def test_what_one_leaves_that_gives_up_is_taken_at_once():
    policy = sharing(ladder(at_once((0, 3)), cores=4), Sharing(0, 2 * PPM, 10_000))
    assert waits_ms(run(policy, [0, 3], [100, 4])) == [0, 7]


def test_starts_by_a_unit_without_a_limit_are_refused():
    policy = sharing(ladder(at_once((0, 0)), cores=2), Sharing(0, PPM))
    with pytest.raises(TailcError, match="without a limit"):
        ladder_arrays((dataclasses.replace(policy, cost_units=(CostUnit("threads"),)),), 1, 10)


@pytest.mark.parametrize("requests_of", [random_requests, requests_at_once])
@pytest.mark.parametrize("block", blocks(in_every_run=5, when_fuzzing=60))
def test_the_engine_does_what_the_plain_replay_does(block, requests_of):
    rng = random.Random(block)
    for _ in range(30):
        server = sharing_server(rng)
        assert_alike(*both(server, requests_of(rng, server)), server)
