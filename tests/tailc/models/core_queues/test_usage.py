"""Verdicts on tail tables, by hand and on cores where all can be worked out."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tailc.artifact.envelope import Policy
from tailc.errors import Code, TailcError
from tailc.experiment.options import VerifyOptions
from tailc.experiment.ruling import Ruling
from tailc.forms.controller import Actuator, Controller, GainRow
from tailc.forms.tail_table import Batch, TailTable
from tailc.models.arrivals import Burst, Bursts, Poisson, RecordedArrivals
from tailc.models.core_queues.batch_model import power_field
from tailc.models.core_queues.usage import (
    BatchTimes,
    BatchWorkUse,
    CoreQueuesTimes,
    CoreQueuesUse,
    LevelShares,
    clock_use,
)
from tailc.models.energy import EnergyTimes
from tailc.report.verdict import as_dict, as_markdown, as_text
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile
from tailc.traces.reading import CyclesAndMemory, DemandAndMemory
from tailc.verify.judge import verify
from tailc.verify.size import size
from tailc.verify.verdict import Verdicts
from tests.tailc.models.core_queues.servers import GHZ, MS, PPM, tail_table
from tests.tailc.models.core_queues.usage_case import TABLE, alike, policy
from tests.tailc.schemas import validate
from tests.tailc.verify.policies import READING

SCHEMA = Path(__file__).parents[4] / "schemas/report/verdict-2.schema.json"
STILL = Controller(
    Actuator.LATENCY_BOUND, 950_000, 15_000, 100, 200, PPM, 0, 2 * PPM, 32, (GainRow(0, 0, 0, 0),)
)
FEW = {"replicates": 49, "requests_per_replay": 2000, "repeats": 4}


def judged(*forms, held_out: DemandProfile | None = None, **options) -> Verdicts:
    return verify(policy(*forms), held_out or alike(), VerifyOptions(**{**FEW, **options}))


def refusals(of: Policy, held_out: DemandProfile, **options) -> list:
    with pytest.raises(TailcError) as refused:
        verify(of, held_out, VerifyOptions(**{**FEW, **options}))
    return [(finding.code, finding.message) for finding in refused.value.findings]


def test_a_request_alone_draws_the_power_of_its_level():
    quiet = RecordedArrivals(np.arange(2000) * 100 * MS, None, "gaps")
    run = judged(arrivals=(quiet,), baselines=()).points[0].policy
    # 10 ms at 1 W; then 90 ms asleep, and the other core all the time: 0.1 W
    assert run.usage.energy.request_us == 10_000
    assert run.usage.energy.idle_us == pytest.approx(0.1 * 190_000, rel=0.001)
    assert run.usage.clocks.power_mw == pytest.approx((10 + 19) * 10, rel=0.01)
    assert run.usage.clocks.frequency_khz == GHZ
    assert [(one.frequency_khz, one.share_ppm) for one in run.usage.clocks.levels] == [
        (GHZ, PPM),
        (2 * GHZ, 0),
    ]
    assert run.usage.clocks.batch is None
    assert run.estimates[0].estimate_us == 10_000


def test_requests_that_meet_run_faster():
    run = judged(baselines=()).points[0].policy
    shares = [one.share_ppm for one in run.usage.clocks.levels]
    assert 0 < shares[1] < shares[0]
    assert sum(shares) == pytest.approx(PPM, abs=1)
    assert run.usage.clocks.frequency_khz == pytest.approx(
        (shares[0] + 2 * shares[1]) * GHZ / PPM, abs=2
    )
    # what hurries has the greater part of its work done sooner
    assert run.estimates[0].ruling is Ruling.PASS


def test_memory_time_is_held_out_too():
    quiet = RecordedArrivals(np.arange(2000) * 100 * MS, None, "gaps")
    fast = replace(TABLE, levels=TABLE.levels[1:])
    run = judged(fast, held_out=alike(10, 4), arrivals=(quiet,), baselines=()).points[0].policy
    assert run.estimates[0].estimate_us == 3_000 + 4_000


def test_every_baseline_is_judged_and_fixed_is_the_reference():
    point = judged(TABLE, STILL, baselines=("all",)).points[0]
    names = [run.subject for run in point.baselines]
    assert names == ["fixed at 1 GHz", "static oracle", "dynamic oracle", "open loop"]
    assert point.reference == "fixed at 1 GHz"
    assert all(isinstance(run.usage, CoreQueuesUse) for run in point.baselines)
    # the output stays where it is: with the table alone everything is the same
    assert point.policy.estimates == point.baselines[3].estimates
    assert point.policy.usage.energy == point.baselines[3].usage.energy
    assert (point.policy.usage.control.low_ppm, point.policy.usage.control.high_ppm) == (PPM, PPM)


def test_the_dynamic_oracle_is_on_the_bound_at_less_energy_than_the_static_one():
    rng = np.random.default_rng(2)
    many = replace(alike(), demand_ms=rng.gamma(4, 2.5, 2000))
    table = tail_table(
        (0, *[30_000_000] * 9), bound_us=30_000,
        ghz=(0.6, 0.8, 1, 1.2, 1.6, 2), power_mw=(216, 512, 1_000, 1_728, 4_096, 8_000),
    )  # fmt: skip
    slos = (Slo(950_000, 30_000),)
    found = verify(
        replace(policy(table, slos=slos), rates_mrps=(50_000,)), many,
        VerifyOptions(baselines=("static-oracle", "dynamic-oracle"), **FEW),
    )  # fmt: skip
    static, dynamic = found.points[0].baselines
    assert dynamic.estimates[0].estimate_us == pytest.approx(30_000, rel=0.02)
    assert dynamic.usage.energy.request_us < static.usage.energy.request_us


def test_batch_work_has_the_time_of_cores_without_requests():
    quiet = RecordedArrivals(np.arange(2000) * 100 * MS, None, "gaps")
    made = policy(replace(TABLE, batch=Batch(GHZ, 2 * GHZ, 3_000)))
    options = VerifyOptions(arrivals=(quiet,), baselines=(), **FEW)
    evidence = replace(made.evidence, settings=((power_field(2 * GHZ), 3_000),))
    run = verify(replace(made, evidence=evidence), alike(), options).points[0].policy
    assert run.usage.clocks.batch.share_ppm == pytest.approx(950_000, rel=0.001)
    assert run.usage.clocks.power_mw == pytest.approx(100 + 1.9 * 3_000, rel=0.001)
    # Two cores do 1.9 times the work of one at twice the clock of the demands.
    assert run.usage.clocks.batch.work_nj == pytest.approx(5.8e9 / (1.9 * 2), rel=0.001)
    assert run.usage.cost_us(run.load) == run.usage.clocks.batch.work_nj / 1_000


def test_a_policy_that_does_not_state_the_unit_of_batch_work_has_no_energy_for_it():
    shared = replace(TABLE, batch=Batch(GHZ, 2 * GHZ, 3_000))
    verdicts = judged(shared, arrivals=(Poisson(50_000),), baselines=())
    run = verdicts.points[0].policy
    assert run.usage.clocks.batch.share_ppm > 0
    assert run.usage.clocks.batch.work_nj is None
    assert run.usage.cost_us(run.load) == run.usage.drawn_us
    assert "J/work  " not in as_text(verdicts)
    clocks = as_dict(verdicts)["points"][0]["policy"]["clocks"]
    assert clocks["batch_work_nj"] is None
    validate(json.loads(json.dumps(as_dict(verdicts))), json.loads(SCHEMA.read_text()))


def test_a_slow_core_that_is_always_busy_is_not_overloaded():
    # half of the time there is work for 1 GHz, and the bound lets it wait
    lax = tail_table((0, *[10_000_000 * i for i in range(1, 60)]), bound_us=600_000, ghz=(0.4, 2))
    run = judged(lax, baselines=("fixed",), arrivals=(Poisson(50_000),)).points[0]
    assert run.policy.load.utilization_ppm > 900_000
    assert not run.policy.load.is_overloaded


def test_arrivals_in_bursts_have_stretches_and_spikes():
    bursts = Bursts((Burst(1_000, 50_000), Burst(1_000, 150_000)))
    run = judged(TABLE, STILL, arrivals=(bursts,), baselines=()).points[0].policy
    assert len(run.stretch_us) == len(run.spikes) == 2


def test_a_verdict_reads_well_and_fits_its_schema():
    verdicts = judged(TABLE, STILL, baselines=("fixed",))
    text = as_text(verdicts)
    assert "power  frequency" in text
    assert "share of the time of busy cores at each frequency" in text
    assert "1 GHz  2 GHz" in text
    assert "| 1 GHz | 2 GHz |" in as_markdown(verdicts)
    said = json.loads(json.dumps(as_dict(verdicts)))
    validate(said, json.loads(SCHEMA.read_text()))
    assert said["points"][0]["policy"]["clocks"]["levels"][0]["frequency_khz"] == GHZ


def test_mean_frequency_is_over_busy_time():
    two = [
        LevelShares(2.0, (GHZ, 2 * GHZ), (1.0, 0.0), None),
        LevelShares(3.0, (GHZ, 2 * GHZ), (0.5, 0.5), None),
    ]
    batch = BatchTimes(0.75, 3.0), BatchTimes(0.25, 5.0)
    energy = EnergyTimes(0.0, 0.0, (0.5,), np.array([], np.int64))
    use = clock_use([CoreQueuesTimes(energy, *one) for one in zip(two, batch, strict=True)])
    assert (use.power_mw, use.frequency_khz) == (2_500, 1_250_000)
    assert use.batch == BatchWorkUse(500_000, 4_000_000_000)
    assert clock_use([CoreQueuesTimes(energy, one, None) for one in two]).batch is None


def test_size_finds_the_rate_at_which_the_bound_is_missed():
    found = size([policy()], alike(), VerifyOptions(baselines=("fixed",), **FEW))
    ours, fixed = (capacity.rate_mrps for capacity in found.capacities)
    # 2 GHz carry about twice what 1 GHz does
    assert 1.5 * fixed < ours < 400_000


def test_a_policy_that_keeps_its_tail_on_the_target_has_no_size():
    with pytest.raises(TailcError) as refused:
        size([policy(TABLE, STILL)], alike(), VerifyOptions(baselines=(), **FEW))
    finding = refused.value.findings[0]
    assert finding.code is Code.METHOD_UNFIT
    assert "keeps the tail at its target at every rate" in finding.message


def test_a_trace_without_the_memory_time_that_the_policy_was_compiled_with_is_refused():
    with_memory = replace(READING, demand=DemandAndMemory("ms", "mem_ms"))
    assert refusals(policy(reading=with_memory), alike()) == [
        (
            Code.MISSING_COLUMN,
            "policy `clocks` was compiled with memory time, but the trace has none",
        )
    ]


def test_a_policy_that_does_not_tell_the_clock_of_its_demands_is_refused():
    timeless = replace(TABLE, reference_khz=None)
    (found,) = refusals(policy(timeless), alike())
    assert found == (
        Code.BAD_ARTIFACT,
        "policy `clocks` does not state the frequency at which its demands were measured",
    )


def test_cycles_are_counted_at_the_clock_that_the_reading_names():
    reading = replace(READING, demand=CyclesAndMemory("ms", "mem_ms", 2 * GHZ))
    cycles: TailTable = replace(TABLE, reference_khz=None)
    quiet = RecordedArrivals(np.arange(2000) * 100 * MS, None, "gaps")
    options = VerifyOptions(arrivals=(quiet,), baselines=("fixed",), **FEW)
    point = verify(policy(cycles, reading=reading), alike(10, 0), options).points[0]
    # 20 million cycles: 20 ms at 1 GHz; but the table hopes for 10
    assert point.policy.estimates[0].estimate_us == 20_000
    assert point.baselines[0].subject == "fixed at 2 GHz"


def test_a_cut_off_is_refused():
    (found,) = refusals(policy(), alike(), cut_off_us=5_000)
    assert found[0] is Code.USAGE
    assert "with a tail table, such" in found[1]


def test_other_power_is_told_beside_that_of_cores():
    run = judged(other_power_ppm=500_000, baselines=("fixed",)).points[0].policy
    assert run.usage.energy.ratio.server_ppm == pytest.approx(
        (run.usage.energy.ratio.cores_ppm + PPM) / 2, abs=1
    )
