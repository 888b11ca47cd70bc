"""--chip of verify and simulate, on two cores whose states under a limit are counted by hand.

Requests of 200 us come at 2,000 a second, so each core is busy for u = 20 % of the time at 2.4 GHz.
There the chip draws 3 W, 6 W more for each core with requests, and 4 W for each with batch work:
11 W without requests, 13 W with a busy core and 15 W with two.
"""

from __future__ import annotations

import json

import pytest

from tests.tailc.cli.json_schemas import OUTPUT, SCHEMAS
from tests.tailc.policies.rubik.case import SPEC, swapped, write
from tests.tailc.schemas import validate
from tests.tailc.toy import write_toy

VERDICT = json.loads((SCHEMAS / "report/verdict-2.schema.json").read_text())
RANGE = next(line for line in SPEC.splitlines() if "range:" in line).strip()
LEVELS = "levels: [{frequency: 1.2GHz, power: 2W}, {frequency: 2.4GHz, power: 6W}]"
# All cycles of batch work are compute: one instruction a cycle at any frequency.
BATCH = "batch: {ipc: [{frequency: 1.2GHz, ipc: 1}, {frequency: 2.4GHz, ipc: 1}], powers: [1W, 4W]}"
QUICK = ("--requests", "4000", "--replicates", "49", "--rate", "2000/s", "--no-progress")


def write_spec(folder, limit: str, *changes: tuple[str, str]):
    """With so much power for the rest of the server that batch work pays at 2.4 GHz only."""
    chip = f"  uncore: 3W\n  rest: 50W\n  tdp: {limit}\n  ipc: 1.2\n  sleep:"
    spec = swapped(
        (RANGE, LEVELS),
        ("  sleep:", chip),
        ("feedback: {epoch: 20ms, window: 80ms}", f"feedback: off\n{BATCH}"),
        ("rates: [500/s, 2000/s]", "rates: [2000/s]"),
        *changes,
    )
    case = write(folder, spec)
    for trace in (case.design, case.held_out):
        trace.write_text("cycles,memory_us\n" + "480000,0\n" * 400)
    return case


def told(ended, code: int | None = None):
    if code is not None:
        assert ended.code == code, ended.err
    document = json.loads(ended.out)
    validate(document, OUTPUT)
    validate(document["result"], VERDICT)
    return document["result"]


def simulated(tailc, limit: str, folder, names: str):
    case = write_spec(folder, limit)
    words = ("--chip", str(case.spec), "--baselines", names, *QUICK)
    ended = tailc("simulate", str(case.spec), *words, "--output-format", "json")
    (point,) = told(ended, 0)["points"]
    return {one["subject"]: one for one in point["baselines"]}


def test_a_limit_slows_batch_work_beside_one_request_and_requests_beside_another(tailc, tmp_path):
    (run,) = simulated(tailc, "12W", tmp_path, "fixed").values()
    found = run["clocks"]["limited"]
    assert found["batch_stopped_ppm"] == 0
    # Work is conserved: a core serves at full speed while it alone is busy (a of the time), and at
    # half of it while both are (b): u = a + b / 2. Batch work is slowed for 2 a of the time.
    both = found["batch_slowed_ppm"] + found["requests_slowed_ppm"]
    assert both == pytest.approx(2 * 200_000, rel=0.02)
    assert found["requests_slowed_ppm"] > 40_000


def test_a_limit_that_no_state_exceeds_has_no_effect(tailc, tmp_path):
    (run,) = simulated(tailc, "15W", tmp_path, "fixed").values()
    found = run["clocks"]
    assert set(found["limited"].values()) == {0}
    assert 790_000 < found["batch_ppm"] < 810_000


def test_hardware_that_knows_no_requests_is_a_baseline_on_a_chip(tailc, tmp_path):
    found = simulated(tailc, "12W", tmp_path, "hw-t,hw-tpw")
    assert set(found) == {"HW-T", "HW-TPW"}
    # One busy core: 1.2 instructions at 2.4 GHz and 1 at 1.2 GHz are the most within 9 W, so batch
    # work yields; both busy: only one of them at 2.4 GHz.
    assert found["HW-T"]["clocks"]["limited"]["requests_slowed_ppm"] == 0
    assert found["HW-T"]["clocks"]["frequency_khz"] > found["HW-TPW"]["clocks"]["frequency_khz"]


def test_reports_of_a_chip_say_what_its_limit_did(tailc, tmp_path):
    case = write_spec(tmp_path, "12W")
    ended = tailc("simulate", str(case.spec), "--chip", str(case.spec), *QUICK)
    assert "batch slowed  batch stopped  requests slowed" in ended.out
    assert "share of the time that the limit of the chip did that" in ended.out


def test_without_a_chip_hardware_is_refused_with_the_option_to_add(tailc, tmp_path):
    case = write_spec(tmp_path, "12W")
    ended = tailc("simulate", str(case.spec), "--baselines", "hw-t", *QUICK)
    assert ended.code == 64
    assert "add `--chip SPEC`, the spec that the policy was compiled from" in ended.err


@pytest.fixture
def policy(tailc, tmp_path):
    case = write_spec(tmp_path, "12W")
    stem = str(tmp_path / "own")
    assert tailc("compile", str(case.spec), "-o", stem).code == 0
    return case, stem


def test_verify_replays_the_policy_on_the_chip_of_its_spec(tailc, policy):
    case, stem = policy
    words = ("--chip", str(case.spec), "--allow-compile-trace", *QUICK)
    ended = tailc("verify", stem, "--trace", str(case.held_out), *words, "--output-format", "json")
    (point,) = told(ended)["points"]
    assert point["policy"]["clocks"]["limited"]["batch_slowed_ppm"] > 0


def test_a_spec_of_another_server_is_an_error_at_its_line(tailc, policy):
    case, stem = policy
    case.spec.write_text(case.spec.read_text().replace("cores: 2", "cores: 3"))
    ended = tailc("verify", stem, "--trace", str(case.held_out), "--chip", str(case.spec), *QUICK)
    assert ended.code == 65
    assert "service.yaml:12:" in ended.err


def test_comparing_with_an_older_policy_takes_no_chip(tailc, policy):
    case, stem = policy
    words = ("--chip", str(case.spec), "--budgets", str(case.spec), "--since", stem)
    ended = tailc("verify", stem, "--trace", str(case.held_out), *words)
    assert ended.code == 64
    assert "`--since` cannot be combined with `--chip`:" in ended.err


def test_a_chip_is_for_cores_that_change_their_clock(tailc, tmp_path):
    case, threads = write_spec(tmp_path, "12W"), write_toy(tmp_path)
    ended = tailc("simulate", threads, "--chip", str(case.spec), "--baselines", "none")
    assert ended.code == 64
    assert "policy `toy` has no cores that change their frequency" in ended.err
