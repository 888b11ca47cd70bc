"""Levels that hardware sets, against all choices there are."""

import itertools
import random

import numpy as np
import pytest

from tailc.models.core_queues.chip import NOTHING, Chip, ProgramCounters
from tailc.models.core_queues.clocks import HardwareObjective
from tailc.models.core_queues.hardware import levels_by_state
from tests.tailc.models.core_queues.chip_case import batch
from tests.tailc.models.core_queues.servers import GHZ, random_server, tail_table, with_random_chip


def programs(at, state):
    """What each core runs: by level the power [mW], and instructions a second at a clock of 1."""
    for core, one in enumerate(at.chip.batch):
        if state >> core & 1:
            powers, counters = [level.power_mw for level in at.table.levels], at.chip.requests
        elif one is None:
            yield [(NOTHING, at.table.sleep.power_mw, 0.0)]
            continue
        else:
            powers, counters = one.power_mw, one.counters
        rows = []
        for level, (each, mw) in enumerate(zip(at.table.levels, powers, strict=True)):
            memory = counters.memory_ppm / 1e6
            stretched = memory + (1 - memory) * at.reference_khz / each.frequency_khz
            rows.append((level, mw, counters.ipc_milli / stretched))
        yield rows


def total(choice, shared_mw):
    return sum(row[2] for row in choice), shared_mw + sum(row[1] for row in choice)


@pytest.mark.parametrize("aim", HardwareObjective)
@pytest.mark.parametrize("block", range(40))
def test_the_choice_is_the_best_of_all_that_the_limit_allows(aim, block):
    rng = random.Random(block)
    at = with_random_chip(rng, random_server(rng).clocks)
    limit_mw = np.inf if at.chip.limit_mw is None else at.chip.limit_mw
    chosen = levels_by_state(at.table, at.chip, at.reference_khz, aim)
    for state in range(1 << at.table.cores):
        cores = list(programs(at, state))
        of_level = [{row[0]: row for row in rows} for rows in cores]
        ours = total([rows[k] for rows, k in zip(of_level, chosen[state], strict=True)], shared(at))
        allowed = [
            found
            for choice in itertools.product(*cores)
            if (found := total(choice, shared(at)))[1] <= limit_mw
        ]
        if not allowed:
            assert ours[1] == min(total(c, shared(at))[1] for c in itertools.product(*cores))
            continue
        assert ours[1] <= limit_mw
        if aim is HardwareObjective.WORK:
            assert ours[0] == pytest.approx(max(work for work, _ in allowed))
        elif min(power for _, power in allowed) > 0:
            assert ours[0] / ours[1] == pytest.approx(max(w / p for w, p in allowed))


def shared(at):
    return at.chip.shared_mw


def chosen_of(*cores, limit_mw=None, aim=HardwareObjective.WORK, shared_mw=1_000, ipc_milli=1_000):
    table = tail_table((0, 0), ghz=(1, 2, 3), power_mw=(1_000, 3_000, 6_000), cores=len(cores))
    chip = Chip(ProgramCounters(0, ipc_milli), cores, shared_mw, limit_mw)
    return levels_by_state(table, chip, GHZ, aim).tolist()


def test_without_a_limit_the_most_work_is_at_the_highest_clocks():
    assert chosen_of(batch(), batch()) == [[2, 2]] * 4


def test_a_core_with_nothing_to_do_is_left_alone():
    assert chosen_of(None, batch()) == [[NOTHING, 2], [2, 2], [NOTHING, 2], [2, 2]]


def test_within_a_limit_compute_bound_work_gets_the_watts():
    # 6.5 W beside the chip's: one of them at its highest, the other at its lowest
    by_memory = (batch(0.8), batch(0.0))
    assert chosen_of(*by_memory, limit_mw=6_500)[0] == [0, 2]
    assert chosen_of(*by_memory[::-1], limit_mw=6_500)[0] == [2, 0]


def test_requests_of_few_instructions_give_their_watts_to_batch_work():
    slow = chosen_of(batch(), batch(), limit_mw=7_000, ipc_milli=200)
    assert slow[1] == [0, 2]
    assert slow[2] == [2, 0]


def test_the_more_the_chip_draws_the_faster_is_most_work_by_joule():
    levels = [
        chosen_of(batch(), aim=HardwareObjective.WORK_PER_JOULE, shared_mw=mw)[0][0]
        for mw in (0, 3_000, 99_000)
    ]
    assert levels == [0, 1, 2]


def test_most_work_by_joule_stays_within_the_limit():
    levels = chosen_of(
        batch(), batch(), aim=HardwareObjective.WORK_PER_JOULE, shared_mw=99_000, limit_mw=103_000
    )
    assert levels[0] == [1, 1]
