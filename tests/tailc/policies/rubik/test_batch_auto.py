"""The default method with batch work: no two fixed frequencies spend less energy on it.

The plain computation replays one core at a time, in floating point, with arrivals of its own.
"""

import functools
import itertools
import random

import pytest

from tailc.artifact.estimates import Standing
from tailc.errors import Code
from tailc.experiment.options import VerifyOptions
from tailc.pipeline.compilation import Judging
from tailc.pipeline.compile import compile_policy
from tailc.report.compile_report import compiled_text
from tailc.studies.held_out import read_held_out
from tailc.verify.judge import verify
from tests.tailc.policies.rubik.case import swapped, write

PAPER = "search: {method: paper}\n"
POWER = "power: {static: 0.5W, dynamic: 5W, at: 2.4GHz}"
BATCH = f"batch: {{memory: 40%, {POWER}}}\n"
SERVER = ("  sleep:", "  uncore: 4W\n  rest: 6W\n  sleep:")
LEVELS = ("to: 3.4GHz, step: 0.2GHz", "to: 3.2GHz, step: 0.4GHz")


def spec(method="effort: quick", batch=BATCH, rates="2000/s, 4000/s", server=SERVER):
    search = (PAPER, f"search: {{{method}}}\n{batch}")
    return swapped(search, server, LEVELS, ("rates: [500/s, 2000/s]", f"rates: [{rates}]"))


def compiled(folder, text):
    case = write(folder, text)
    return compile_policy(str(case.spec), threads=2, judging=Judging(allows_misses=True))


@pytest.fixture(scope="module")
def default(tmp_path_factory):
    folder = tmp_path_factory.mktemp("default")
    return folder, compiled(folder, spec())


def settings(found):
    return dict(found.policy.evidence.settings)


# Frequencies in GHz, powers of requests and of batch work in W, as the spec of the kit has them.
GHZ = [round(0.8 + 0.4 * k, 1) for k in range(7)]


def power_w(ghz, dynamic_w):
    volt, at = (1.169e-4 * 1_000 * each + 0.634 for each in (ghz, 2.4))
    return 0.5 + dynamic_w * (volt / at) ** 2 * ghz / 2.4


class PlainServer:
    """Two cores with requests from a CSV file, in random order, at Poisson times."""

    def __init__(self, trace, rate, requests=20_000, seed=5):
        draw = random.Random(seed)
        rows = [line.split(",") for line in trace.read_text().split()[1:]]
        self.cores = [[], []]
        now = 0.0
        for _ in range(requests):
            now += draw.expovariate(rate)
            cycles, memory_us = draw.choice(rows)
            arrival = now, float(cycles), float(memory_us) / 1e6
            self.cores[draw.randrange(2)].append(arrival)
        self.span = now
        self.replay = functools.cache(self._replay)

    def _replay(self, ghz):
        """The 95th percentile of latency [s], and the share of time that cores are busy."""
        latencies, busy = [], 0.0
        for core in self.cores:
            free_at = 0.0
            for arrival, cycles, memory in core:
                lasts = cycles / (ghz * 1e9) + memory
                free_at, busy = max(free_at, arrival) + lasts, busy + lasts
                latencies.append(free_at - arrival)
        latencies.sort()
        return latencies[int(0.95 * len(latencies))], busy / self.span / 2

    def joules(self, ghz, batch_ghz):
        """Energy per unit of batch work, 10 W outside the cores; None if the SLO is missed."""
        tail, busy = self.replay(ghz)
        if tail > 3e-3 or busy > 0.99:
            return None
        power = 2 * (busy * power_w(ghz, 6) + (1 - busy) * power_w(batch_ghz, 5)) + 10
        return power * (0.4 + 0.6 * 2.4 / batch_ghz) / (2 * (1 - busy))

    def least_joules(self):
        """Of any two frequencies that keep the SLO."""
        found = [self.joules(*pair) for pair in itertools.product(GHZ, GHZ)]
        return min(each for each in found if each is not None)


def verified(folder, found, baselines):
    held_out = read_held_out(found.policy, str(folder / "heldout.csv")).profile
    options = VerifyOptions(
        baselines=baselines, requests_per_replay=20_000, repeats=4, replicates=49
    )
    return verify(found.policy, held_out, options).points


def test_no_two_frequencies_of_a_plain_replay_are_better(default):
    folder, found = default
    for point, rate in zip(verified(folder, found, ()), (2_000, 4_000), strict=True):
        joules = point.policy.usage.clocks.batch.work_nj / 1e9
        assert point.policy.estimates[0].estimate_us <= 3_000
        assert joules <= 1.02 * PlainServer(folder / "heldout.csv", rate).least_joules()


@pytest.mark.parametrize("pair", [(2.8, 2.0), (2.4, 2.4), (3.2, 0.8)])
def test_a_pair_as_a_baseline_spends_what_a_plain_replay_does(default, pair):
    folder, found = default
    name = "pair-{}GHz-{}GHz".format(*pair).replace(".0", "")
    for point, rate in zip(verified(folder, found, (name,)), (2_000, 4_000), strict=True):
        joules = point.baselines[0].usage.clocks.batch.work_nj / 1e9
        wanted = PlainServer(folder / "heldout.csv", rate).joules(*pair)
        assert joules == pytest.approx(wanted, rel=0.02)


def test_estimates_compare_with_pairs_and_none_is_better(default):
    _, found = default
    rows = found.policy.evidence.estimates.rows
    assert all(row.standing is Standing.PASS for row in rows)
    assert all("batch work at" in row.by_hand.name for row in rows)
    assert all(row.by_hand.cost_change_ppm <= 20_000 for row in rows)
    assert Code.BETTER_BY_HAND not in [one.code for one in found.findings]
    said = compiled_text(found, [])
    assert "cost: energy of the server for a unit of batch work" in said
    assert "the SLO with least energy for batch work" in said


def test_verify_compares_with_the_best_pair_by_default(default):
    folder, found = default
    for point in verified(folder, found, None):
        names = [one.subject for one in point.baselines]
        assert names[0] == "fixed at 2.4 GHz"
        assert any("batch work at" in name for name in names)


def test_the_evidence_has_what_the_energy_depends_on(default):
    told = settings(default[1])
    assert (told["batch_memory_ppm"], told["batch_throughput_ppm"]) == (400_000, 1_000_000)
    assert told["batch_outside_mw"] == 10_000
    assert told["batch_mw_at_2400000"] == 5_500
    assert len([name for name in told if name.startswith("batch_mw_at_")]) == len(GHZ)


def test_the_paper_method_is_warned_of_where_a_pair_is_better(tmp_path):
    """The pair is the best at 6,000/s; at 100/s requests that run slower leave as much time."""
    text = spec("method: paper", BATCH.replace("40%", "40%, rate: 6000/s"), "100/s, 200/s")
    found = compiled(tmp_path, text)
    (warning,) = [one for one in found.findings if one.code is Code.BETTER_BY_HAND]
    assert "does batch work with" in warning.message
    assert "less energy than the policy and meets the SLO" in warning.message
    assert warning.help.startswith("remove `search.method`: the default also tries pairs")


LONG_HALTS = ("  sleep:", "  transition: {time: 400us}\n  sleep:")


def test_where_changes_take_long_one_frequency_does_both(tmp_path):
    text = spec(rates="4000/s", server=LONG_HALTS).replace("latency: 3ms", "latency: 9ms")
    found = compiled(tmp_path, text)
    batch = found.policy.batch
    assert batch.least_khz == batch.frequency_khz
    (row,) = found.policy.evidence.estimates.rows
    assert row.by_hand.cost_change_ppm <= 5_000


def test_rates_that_no_two_frequencies_suit_are_warned_of(tmp_path):
    text = spec(rates="500/s, 5000/s", server=LONG_HALTS).replace("latency: 3ms", "latency: 9ms")
    codes = {one.code for one in compiled(tmp_path, text).findings}
    assert {Code.NO_BETTER_TABLE, Code.BETTER_BY_HAND} <= codes
