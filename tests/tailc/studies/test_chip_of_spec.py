"""The chip of a spec, by hand: requests of 200 us at 2.4 GHz, half of it memory time."""

from __future__ import annotations

import pytest

from tailc.errors import Code, TailcError
from tailc.models.core_queues.chip import BatchCore, Chip, ProgramCounters
from tailc.pipeline.compile import compile_policy
from tailc.studies.chip_of_spec import chip_of
from tailc.studies.held_out import read_held_out
from tests.tailc.policies.rubik.case import SPEC, swapped, write
from tests.tailc.toy import write_toy

RANGE = next(line for line in SPEC.splitlines() if "range:" in line).strip()
LEVELS = "levels: [{frequency: 1.2GHz, power: 2W}, {frequency: 2.4GHz, power: 6W}]"
TWO = (RANGE, LEVELS)
# 1 and 4 / 3 cycles an instruction are 2 / 3 + 2 / 3 f / 2.4 GHz.
IPC = "ipc: [{frequency: 1.2GHz, ipc: 1}, {frequency: 2.4GHz, ipc: 0.75}]"
CHIP = ("  sleep:", "  uncore: 3W\n  rest: 5W\n  tdp: 12W\n  ipc: 1.2\n  sleep:")
ALIKE = "cycles,memory_us\n" + "240000,100\n" * 20


def batch(waits: str) -> tuple[str, str]:
    return "feedback: {", f"batch: {{{waits}, powers: [1W, 4W]}}\nfeedback: {{"


def compiled(folder, *changes):
    """The spec, its policy, and its requests."""
    case = write(folder, swapped(TWO, *changes))
    case.design.write_text(ALIKE)
    policy = compile_policy(str(case.spec)).policy
    return str(case.spec), policy, read_held_out(policy, str(case.design)).profile


def refused(*given) -> TailcError:
    with pytest.raises(TailcError) as found:
        chip_of(*given)
    return found.value


def test_a_chip_has_the_limit_and_the_batch_work_of_its_spec(tmp_path):
    core = BatchCore(ProgramCounters(500_000, 750), (1_000, 4_000), level=1, least_level=1)
    chip = Chip(ProgramCounters(500_000, 1_200), (core, core), shared_mw=3_000, limit_mw=12_000)
    assert chip_of(*compiled(tmp_path, CHIP, batch(IPC))) == chip


def test_what_a_spec_does_not_state_is_not_there(tmp_path):
    assert chip_of(*compiled(tmp_path)) == Chip(ProgramCounters(500_000, None), (None, None))


def test_a_memory_share_alone_has_no_instructions_per_cycle(tmp_path):
    (core, _) = chip_of(*compiled(tmp_path, batch("memory: 30%"))).batch
    assert core.counters == ProgramCounters(300_000, None)


def test_memory_time_is_that_of_the_requests_that_are_replayed(tmp_path):
    spec, policy, _ = compiled(tmp_path)
    other = tmp_path / "other.csv"
    other.write_text("cycles,memory_us\n" + "240000,300\n" * 20)
    requests = read_held_out(policy, str(other)).profile
    assert chip_of(spec, policy, requests).requests.memory_ppm == 750_000


def test_power_that_falls_with_frequency_counts_as_its_highest_so_far(tmp_path):
    falling = ("feedback: {", f"batch: {{{IPC}, powers: [5W, 4W]}}\nfeedback: {{")
    (core, _) = chip_of(*compiled(tmp_path, falling)).batch
    assert core.power_mw == (5_000, 5_000)


@pytest.mark.parametrize(
    "change",
    [
        ("cores: 2", "cores: 3"),
        ("power: 0.1W", "power: 0.2W"),
        ("power: 6W", "power: 7W"),
        batch("memory: 30%"),
    ],
)
def test_a_spec_of_another_server_is_refused(tmp_path, change):
    spec, policy, requests = compiled(tmp_path)
    (tmp_path / "service.yaml").write_text(swapped(TWO).replace(*change))
    (finding,) = refused(spec, policy, requests).findings
    assert finding.code is Code.CONFLICT
    assert finding.place.line == 12
    assert finding.message == (
        "`server` or `batch` of this spec differs from the spec of policy `kit`"
    )


def test_a_spec_of_a_kind_without_clocks_is_refused(tmp_path):
    _, policy, requests = compiled(tmp_path)
    (finding,) = refused(write_toy(tmp_path), policy, requests).findings
    assert finding.code is Code.METHOD_UNFIT


def test_a_policy_without_clocks_has_no_chip(tmp_path):
    spec, _, requests = compiled(tmp_path)
    threads = compile_policy(write_toy(tmp_path)).policy
    (finding,) = refused(spec, threads, requests).findings
    assert finding.message == "policy `toy` has no cores that change their frequency"
