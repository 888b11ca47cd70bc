"""Baselines of tail tables: which there are, what each does, and what the searched one chooses."""

from dataclasses import replace

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forms.controller import Actuator, Controller, GainRow
from tailc.forms.tail_table import Batch, TailTable
from tailc.models.core_queues.chip import BatchCore, Chip, ProgramCounters
from tailc.models.core_queues.clocks import (
    ClairvoyantRule,
    Clocks,
    FixedLevel,
    Hardware,
    HardwareObjective,
)
from tailc.models.core_queues.model import CoreQueues
from tailc.models.execution_model import BaselineSearch, CandidateResult
from tailc.units import format_khz
from tests.tailc.models.core_queues.servers import GHZ, PPM, US, demands, tail_table

TABLE = tail_table((0, 0), ghz=(0.8, 1.6, 2.4, 3.2), power_mw=(1, 2, 4, 8))
LAW = Controller(
    Actuator.LATENCY_BOUND, 950_000, 100, 500, 2000, PPM, 0, PPM, 32, (GainRow(0, 0, 1, 0),)
)
LOAD = demands(Clocks(TABLE, GHZ), np.array([100 * US]))


def policy(table: TailTable = TABLE, reference_khz: int = 2_400_000, law=None) -> CoreQueues:
    return CoreQueues("ours", Clocks(table, reference_khz), law)


def falling(target_us: int) -> BaselineSearch:
    """The tail is 1,000 us over the frequency in GHz, 0.8 ms at the second level."""

    def evaluate(subject: CoreQueues) -> CandidateResult:
        rule = subject.clocks.rule
        assert isinstance(rule, FixedLevel)
        return CandidateResult(10**9 // TABLE.levels[rule.level].frequency_khz, None)

    return BaselineSearch(evaluate, 950_000, target_us)


def made(name: str, of: CoreQueues | None = None, target_us: int = 1_000) -> CoreQueues:
    return (of or policy()).baseline(name, LOAD, falling(target_us))


@pytest.mark.parametrize(
    ("reference_ghz", "level"), [(2.4, 2), (2.0, 2), (0.1, 0), (3.2, 3), (5.0, 3)]
)
def test_fixed_runs_the_clock_of_the_demands_or_the_next_one_above(reference_ghz, level):
    found = made("fixed", policy(reference_khz=round(reference_ghz * GHZ)))
    assert found.clocks.rule == FixedLevel(level)
    assert found.name == f"fixed at {format_khz(TABLE.levels[level].frequency_khz)}"


def test_a_frequency_has_one_name_whoever_chooses_it():
    (first, *_), given = policy().default_baselines(LOAD), made("fixed-2.4GHz")
    for chosen in (made("fixed"), made(first)):
        assert (chosen.name, chosen.note) == (given.name, given.note) == ("fixed at 2.4 GHz", "")
        assert chosen.clocks == given.clocks


def test_notes_tell_the_frequency():
    assert made("static-oracle", target_us=10_000).note == "800 MHz"


@pytest.mark.parametrize(("name", "ghz"), [("fixed-800MHz", 0.8), ("FIXED-3.2GHZ", 3.2)])
def test_a_frequency_in_the_name_is_that_of_every_request(name, ghz):
    found = made(name)
    assert (found.name, found.note) == (f"fixed at {'800 MHz' if ghz < 1 else '3.2 GHz'}", "")
    # 100 us at 1 GHz, without any wait for memory
    outcome = found.engine(1, 64).replay(LOAD, np.zeros(1, np.int32), np.zeros(1, np.int64))
    assert outcome.latency_ns.tolist() == [round(100 * US / ghz)]


def test_a_frequency_that_no_level_has_is_refused_with_those_there_are():
    with pytest.raises(TailcError) as refused:
        policy().check_baseline("fixed-2GHz")
    finding = refused.value.findings[0]
    assert finding.message == "baseline `fixed-2GHz`: the server has no frequency 2 GHz"
    assert finding.help == "levels: 800 MHz, 1.6 GHz, 2.4 GHz, 3.2 GHz"


@pytest.mark.parametrize(("target_us", "level"), [(1_250, 0), (1_249, 1), (416, 2), (313, 3)])
def test_the_static_oracle_is_the_lowest_frequency_that_meets_the_target(target_us, level):
    assert made("static-oracle", target_us=target_us).clocks.rule == FixedLevel(level)


def test_the_static_oracle_is_the_highest_frequency_where_none_meets_it():
    assert made("Static-Oracle", target_us=1).clocks.rule == FixedLevel(3)


def test_the_static_oracle_does_not_go_below_what_batch_work_asks():
    table = tail_table(
        (0, 0), ghz=(0.8, 1.6, 2.4, 3.2), power_mw=(1, 2, 4, 8), batch=Batch(1_600_000, 800_000, 0)
    )
    assert made("static-oracle", policy(table), target_us=10_000).clocks.rule == FixedLevel(1)


def test_the_dynamic_oracle_knows_the_target_and_its_percentile():
    assert made("dynamic-oracle", target_us=700).clocks.rule == ClairvoyantRule(950_000, 700)


def test_open_loop_is_the_table_alone():
    found = made("open-loop", policy(law=LAW))
    assert found.steering is None
    assert found.clocks == policy().clocks


def test_baselines_have_no_controller():
    for name in ("fixed", "static-oracle", "dynamic-oracle"):
        assert made(name, policy(law=LAW)).steering is None


def test_defaults_are_all_that_fit():
    all_names = ("fixed-2.4GHz", "static-oracle", "dynamic-oracle", "open-loop")
    assert policy().default_baselines(LOAD) == all_names[:3]
    assert policy(law=LAW).default_baselines(LOAD) == all_names


def on_a_chip(requests: int | None = 1_000, batch: int | None = 1_000) -> CoreQueues:
    """With these instructions in 1,000 cycles."""
    chip = Chip(
        ProgramCounters(0, requests), (BatchCore(ProgramCounters(0, batch), (1, 2, 4, 8), 1),)
    )
    return CoreQueues("ours", Clocks(TABLE, GHZ, chip=chip))


def test_on_a_chip_hardware_that_knows_no_requests_is_a_baseline():
    assert on_a_chip().default_baselines(LOAD)[1:] == ("static-oracle", "hw-t", "hw-tpw")
    most_work, by_joule = (made(name, on_a_chip()) for name in ("HW-T", "HW-TPW"))
    assert most_work.clocks.rule == Hardware(HardwareObjective.WORK, 100 * US)
    assert by_joule.clocks.rule == Hardware(HardwareObjective.WORK_PER_JOULE, 100 * US)
    assert [each.name for each in (most_work, by_joule)] == ["HW-T", "HW-TPW"]


def refused(name: str, subject: CoreQueues):
    with pytest.raises(TailcError) as found:
        subject.check_baseline(name)
    return found.value.findings[0]


@pytest.mark.parametrize("name", ["hw-t", "hw-tpw"])
def test_cores_that_share_nothing_have_no_such_hardware(name):
    finding = refused(name, policy())
    why = "a policy does not state the chip of its cores and their batch work"
    assert finding.message == f"baseline `{name}`: {why}"
    assert finding.help == "add `--chip SPEC`, the spec that the policy was compiled from"


@pytest.mark.parametrize("name", ["hw-t", "hw-tpw"])
@pytest.mark.parametrize(("requests", "batch"), [(None, 1_000), (1_000, None), (None, None)])
def test_hardware_needs_the_instructions_per_cycle_of_all_programs(name, requests, batch):
    finding = refused(name, on_a_chip(requests, batch))
    assert "lacks instructions per cycle" in finding.message
    assert finding.help == "add `server.ipc` for requests, and measure batch work by `batch.ipc`"
    assert "hw-t" not in on_a_chip(requests, batch).default_baselines(LOAD)


def test_hardware_is_computed_for_few_cores():
    table = replace(TABLE, cores=9)
    chip = Chip(ProgramCounters(0), (None,) * 9)
    finding = refused("hw-t", CoreQueues("ours", Clocks(table, GHZ, chip=chip)))
    assert finding.message == "baseline `hw-t`: its frequencies are computed for 8 cores at most"


def test_who_foresees_knows_of_one_core_at_a_time():
    with pytest.raises(TailcError, match="these cores share a power"):
        on_a_chip().check_baseline("dynamic-oracle")


def test_a_policy_without_a_controller_has_no_open_loop():
    with pytest.raises(TailcError) as refused:
        policy().check_baseline("open-loop")
    assert refused.value.findings[0].message == "baseline `open-loop`: the policy has no controller"


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(TailcError) as refused:
        policy().check_baseline("static-oracl")
    finding = refused.value.findings[0]
    assert finding.code is Code.USAGE
    assert finding.message == "there is no baseline `static-oracl` where cores have a clock each"
    assert "static-oracle" in finding.help
