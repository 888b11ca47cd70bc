"""Energy of a unit of batch work: by hand, and against a plain simulation of one core."""

import random
from dataclasses import replace

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forms.tail_table import Batch, Transition
from tailc.models.core_queues.batch_model import BatchModel, batch_model_of
from tailc.models.core_queues.chip import BatchCore, Chip, ProgramCounters
from tailc.models.core_queues.clocks import Clocks, FixedLevel
from tailc.models.core_queues.model import CoreQueues, joules_per_work, pairs_by_hand
from tests.tailc.models.core_queues.servers import GHZ, MS, PPM, demands, replayed, tail_table
from tests.tailc.models.core_queues.usage_case import policy

# Requests at 1 or 2 GHz draw 1 or 4 W, batch work 0.5 or 3 W.
BATCH_MW = {GHZ: 500, 2 * GHZ: 3_000}


def served(batch_ghz: int, model: BatchModel, requests_level: int = 0, **table) -> Clocks:
    """Every request at one level, next to batch work at a frequency."""
    batch = Batch(GHZ, batch_ghz * GHZ, BATCH_MW[batch_ghz * GHZ])
    return Clocks(
        replace(tail_table((0, 0), batch=batch), **table),
        GHZ,
        FixedLevel(requests_level),
        batch_model=model,
    )


def every(period_ms: float, work_ms: float, count: int = 101):
    """A request every `period_ms`; the last one ends what is measured."""
    return [round(k * period_ms * MS) for k in range(count)], [round(work_ms * MS)] * count


MODELS = {
    # 0.4 of the time at 1 W, 0.6 of it at 3 W with twice the work.
    "compute": (BatchModel(), 2, (0.4 * 1 + 0.6 * 3) / (0.6 * 2)),
    # Half of the cycles wait: 0.5 + 0.5 / 2 of the time.
    "memory": (BatchModel(memory_ppm=PPM // 2), 2, (0.4 * 1 + 0.6 * 3) / (0.6 / 0.75)),
    "all of it memory": (BatchModel(memory_ppm=PPM), 2, (0.4 * 1 + 0.6 * 3) / 0.6),
    "outside": (BatchModel(outside_mw=5_000), 1, (0.4 * 1 + 0.6 * 0.5 + 5) / 0.6),
    "throughput": (BatchModel(throughput_ppm=10 * PPM), 1, (0.4 * 1 + 0.6 * 0.5) / 6),
}


@pytest.mark.parametrize("case", MODELS)
def test_it_is_the_power_of_the_server_over_the_work_of_its_cores(case):
    model, ghz, wanted = MODELS[case]
    at = served(ghz, model)
    assert joules_per_work(replayed(at, *every(1, 0.4)), at) == pytest.approx(wanted, rel=0.01)


def test_halts_for_changes_of_frequency_are_no_work():
    """Twice a millisecond, 0.1 ms each: to the requests' 1 GHz at 1 W, and back to 2 GHz at 3 W."""
    at = served(2, BatchModel(), transition=Transition(100_000, 0))
    wanted = (0.5 * 1 + 0.5 * 3) / (0.4 * 2)
    assert joules_per_work(replayed(at, *every(1, 0.4)), at) == pytest.approx(wanted, rel=0.01)


def test_on_a_chip_halts_are_no_work_either():
    at = served(2, BatchModel(), transition=Transition(100_000, 0))
    counters = ProgramCounters(0)
    on_chip = replace(at, chip=Chip(counters, (BatchCore(counters, (500, 3_000), 1),)))
    found, alone = (joules_per_work(replayed(one, *every(1, 0.4)), one) for one in (on_chip, at))
    assert found == pytest.approx(alone, rel=0.01)


def test_one_frequency_for_both_needs_no_change():
    at = served(1, BatchModel(), transition=Transition(100_000, 0))
    wanted = (0.4 * 1 + 0.6 * 0.5) / 0.6
    assert joules_per_work(replayed(at, *every(1, 0.4)), at) == pytest.approx(wanted, rel=0.01)


def test_cores_without_time_for_batch_work_spend_much_energy_on_it():
    at = served(1, BatchModel())
    assert 1e5 < joules_per_work(replayed(at, *every(1, 1.5)), at) < 1e9


def test_on_a_chip_each_core_counts_by_the_level_of_its_batch_work():
    """Of two idle cores, 2 and 1 GHz of batch work at 3 and 0.5 W; the requests end far away."""
    at = served(2, BatchModel(outside_mw=2_000), cores=2)
    counters = ProgramCounters(0)
    cores = tuple(BatchCore(counters, (500, 3_000), level) for level in (1, 0))
    at = replace(at, chip=Chip(counters, cores))
    found = joules_per_work(replayed(at, *every(1, 0.001)), at)
    assert found == pytest.approx((3 + 0.5 + 2) / (2 + 1), rel=0.01)


@pytest.mark.parametrize("seed", range(6))
def test_a_plain_simulation_of_one_core_agrees(seed):
    """Exponential requests at random times: one busy period after another, in floating point."""
    draw = random.Random(seed)
    level, batch_ghz = draw.randrange(2), draw.choice([1, 2])
    memory, outside_w = draw.random(), draw.uniform(0, 5)
    arrivals = np.cumsum([draw.expovariate(1) for _ in range(2_000)])
    work = [draw.expovariate(1 / draw.uniform(0.2, 0.6)) for _ in arrivals]
    free_at = busy = 0.0
    for arrival, needs in zip(arrivals, work, strict=True):
        lasts = needs / (level + 1)
        free_at, busy = max(free_at, arrival) + lasts, busy + lasts
    # From the first arrival to the last one, after which nothing is measured.
    span = arrivals[-1] - arrivals[0]
    busy -= max(free_at - arrivals[-1], 0.0)
    batch_w = BATCH_MW[batch_ghz * GHZ] / 1_000
    power_w = (busy * (1, 4)[level] + (span - busy) * batch_w) / span + outside_w
    speed = 1 / (memory + (1 - memory) / batch_ghz)
    wanted = power_w / ((span - busy) / span * speed)
    model = BatchModel(round(memory * PPM), outside_mw=round(outside_w * 1_000))
    at = served(batch_ghz, model, level)
    times = [round(each * MS) for each in arrivals], [round(each * MS) for each in work]
    assert joules_per_work(replayed(at, *times), at) == pytest.approx(wanted, rel=0.002)


def with_settings(**settings: int):
    batched = replace(tail_table((0, 0)), batch=Batch(GHZ, GHZ, 500))
    made = policy(batched)
    evidence = replace(made.evidence, settings=tuple(sorted(settings.items())))
    return replace(made, evidence=evidence)


def test_the_evidence_states_the_batch_work():
    found = batch_model_of(
        with_settings(
            batch_memory_ppm=300_000,
            batch_throughput_ppm=2_000_000,
            batch_outside_mw=8_000,
            batch_mw_at_1000000=500,
            batch_mw_at_2000000=3_000,
            batch_khz_at_1000000=2_000_000,
        )
    )
    powers = {GHZ: 500, 2 * GHZ: 3_000}
    assert found == BatchModel(300_000, 2_000_000, 8_000, powers, {GHZ: 2 * GHZ})


def test_an_old_policy_states_no_powers_and_has_no_pairs():
    old = with_settings(batch_memory_ppm=300_000)
    model = batch_model_of(old)
    assert model == BatchModel(300_000)
    assert pairs_by_hand(Clocks(old.tail_table, GHZ, batch_model=model)) == []


@pytest.mark.parametrize(
    "settings",
    [
        {"batch_memory_ppm": PPM + 1},
        {"batch_throughput_ppm": 0},
        {"batch_outside_mw": -1},
        {"batch_mw_at_1000000": -1},
        {"batch_outside_mw": 2**60},
    ],
)
def test_batch_work_that_cannot_be_is_refused(settings):
    with pytest.raises(TailcError, match="which batch work cannot have") as refused:
        batch_model_of(with_settings(**settings))
    assert refused.value.findings[0].code is Code.BAD_ARTIFACT


MODEL = BatchModel(power_mw=BATCH_MW, best_khz={GHZ: 2 * GHZ, 2 * GHZ: 2 * GHZ})


def test_pairs_to_set_by_hand_are_the_best_by_means_and_one_frequency_for_both():
    at = served(1, MODEL)
    wanted = [Batch(GHZ, 2 * GHZ, 3_000), Batch(GHZ, GHZ, 500), Batch(2 * GHZ, 2 * GHZ, 3_000)]
    assert pairs_by_hand(at) == wanted
    names = ("pair-1GHz-2GHz", "pair-1GHz-1GHz", "pair-2GHz-2GHz")
    assert CoreQueues("own", at).hand_settings(demands(at, np.array([MS]))) == names


def test_a_baseline_of_a_pair_is_the_server_at_both_frequencies():
    at = served(1, MODEL)
    load = demands(at, np.array([MS]))
    made = CoreQueues("own", at).baseline("pair-2ghz-2GHz", load, None)
    assert made.name == "fixed at 2 GHz, batch work at 2 GHz"
    assert made.clocks.rule == FixedLevel(1)
    assert made.clocks.table.batch == Batch(2 * GHZ, 2 * GHZ, 3_000)


@pytest.mark.parametrize(
    ("name", "at", "why"),
    [
        ("pair-1GHz-3GHz", served(1, MODEL), "no frequency 3 GHz"),
        ("pair-1GHz-2GHz", served(1, BatchModel()), "does not state the power of batch work"),
        ("pair-1GHz-2GHz", Clocks(tail_table((0, 0)), GHZ), "have no batch work"),
    ],
)
def test_a_pair_that_a_server_cannot_have_is_refused(name, at, why):
    with pytest.raises(TailcError, match=why):
        CoreQueues("own", at).check_baseline(name)
