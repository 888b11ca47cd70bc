"""The command line: what every policy compiles to, and what is refused and writes nothing."""

import json

import pytest

from tailc.artifact.files import read_policy
from tailc.experiment.sizes import Size
from tailc.forms.ladder.table import Rule
from tailc.pipeline import lane_sample
from tests.tailc.policies.elfen.case import swapped, write
from tests.tailc.tuning.short import brief_estimates

FIXED = "policy: fixed\nbudget: by-load\n"
OWN = {
    "borrow-idle": {Rule.WAITED_START_LAST},
    "fixed": {Rule.WAITED_START_LAST},
    "refresh": set(),
    "dynamic": set(),
    "safe": {Rule.BUSY_PERIOD_AGE},
}


@pytest.fixture(scope="module", autouse=True)
def _brief():
    with brief_estimates():
        yield


@pytest.fixture
def compiled(tmp_path, tailc):
    """Compile a spec with more words; the end, and where the policy would be."""

    def call(spec: str, *words: str):
        case = write(tmp_path, spec)
        stem = tmp_path / "policy"
        return tailc("compile", case.spec, "-o", stem, "--no-progress", *words), stem

    return call


@pytest.mark.parametrize("policy", OWN)
def test_every_policy_is_a_table_of_two_rungs_with_its_rules(policy, compiled):
    ended, stem = compiled(swapped((FIXED, f"policy: {policy}\n")))
    assert ended.code == 0
    (ladder,) = read_policy(stem).ladders
    assert [rung.name for rung in ladder.rungs] == ["shared", "alone"]
    assert set(ladder.rules) == {Rule.CORE_PER_REQUEST, Rule.NEVER_DESCEND} | OWN[policy]


def test_a_compile_tells_budget_tail_and_batch_work_by_rate(compiled):
    ended, _ = compiled(swapped((FIXED, "policy: fixed\nbudget: 20ms\n")))
    table = ended.out[ended.out.index("requests are 45 %") :].splitlines()
    assert (
        table[0]
        == "requests are 45 % slower while they share a core with batch work, which is 45 % slower"
    )
    assert table[2].split()[0] == "rate"
    assert table[3].split()[0] == "20/s"
    assert "20 ms" in table[3]
    for word in ("energy", "power", "watt"):
        assert word not in ended.out


def test_what_was_optimised_stands_beside_the_most_that_there_can_be(compiled, monkeypatch):
    monkeypatch.setattr(lane_sample, "PLAN", Size(5_000, 3))
    ended, stem = compiled(swapped((FIXED, "policy: optimised\n"), ("[20/s, 60/s]", "[40/s]")))
    assert ended.code == 0
    assert "(dual-bound), largest gap to the proved bound " in ended.out
    title, row = ended.out[ended.out.index("tails of the design") :].splitlines()[1:3]
    assert title.endswith("batch work  at most")
    (point,) = read_policy(stem).evidence.rows
    assert point.bound_us is not None
    batch, _, most, _ = row.split()[-4:]
    assert float(batch) <= float(most) < 100


def test_a_program_reads_the_same(compiled):
    ended, _ = compiled(swapped((FIXED, "policy: refresh\n")), "--output-format", "json")
    result = json.loads(ended.out)["result"]
    assert result["interference_ppm"] == 450_000
    low, high = result["points"]
    assert (low["rate_mrps"], high["rate_mrps"]) == (20_000, 60_000)
    # The headroom of the higher rate is the less, and holds at both.
    assert low["budget_us"] == high["budget_us"] == 80_000 - high["alone_us"]
    assert 0 < high["batch_ppm"] < low["batch_ppm"] < 1_000_000


LANES = "lanes: {interference: 45%}"
WAKING = "lanes: {interference: 45%, wake: 719ns, core_wake: 0.2ms}"


def test_how_long_waking_up_takes_is_evidence_where_it_takes_any_time(compiled):
    ended, stem = compiled(swapped((FIXED, "policy: borrow-idle\n"), (LANES, WAKING)))
    assert ended.code == 0
    settings = dict(read_policy(stem).evidence.settings)
    assert (settings["wake_ns"], settings["core_wake_ns"]) == (719, 200_000)
    _, stem = compiled(swapped((FIXED, "policy: borrow-idle\n")))
    assert not {"wake_ns", "core_wake_ns"} & dict(read_policy(stem).evidence.settings).keys()


def test_the_judge_lets_cores_without_batch_work_sleep_as_the_compile_did(compiled, tailc):
    spec = swapped((FIXED, "policy: borrow-idle\n"), (LANES, WAKING))
    _, stem = compiled(spec)
    held_out = stem.parent / "heldout.csv"
    words = ("--baselines", "no-batch,borrow-idle", "--output-format", "json", "--no-progress")
    words += ("--replicates", 49)
    ended = tailc("verify", f"{stem}.json", "--trace", held_out, *words)
    for point in json.loads(ended.out)["result"]["points"]:
        first, idle = point["baselines"]
        assert (first["subject"], idle["subject"]) == ("no-batch", "borrow-idle")
        tails = [run["verdicts"][0]["estimate_us"] for run in (first, idle)]
        # At least the 200 us that the core takes to wake up for some request in ten thousand.
        assert tails[0] > tails[1]
        assert first["lanes"]["batch_ppm"] == 0


def test_rows_are_headed_by_what_requests_cost_here(compiled, tailc):
    _, stem = compiled(swapped((FIXED, "policy: borrow-idle\n")))
    rows = tailc("inspect", f"{stem}.tailc", "--rows").out
    (title,) = (line for line in rows.splitlines() if line.startswith("load "))
    assert title.endswith("batch work given up  share given up")
    assert "cost" not in title


@pytest.mark.parametrize("budget", ["10000s", "1h", "200ms"])
def test_a_budget_beyond_the_slo_by_which_requests_miss_it_writes_nothing(budget, compiled):
    lanes = ("interference: 45%", "interference: 45%, batch_slowdown: 10%")
    ended, stem = compiled(swapped((FIXED, f"policy: safe\nbudget: {budget}\n"), lanes))
    assert ended.code == 6
    assert "TC0501" in ended.err
    assert not stem.with_suffix(".tailc").exists()


def test_what_requests_alone_cannot_meet_is_refused_and_writes_nothing(compiled):
    ended, stem = compiled(swapped(("latency: 80ms", "latency: 40ms")))
    assert ended.code == 6
    assert "TC0501" in ended.err
    assert "cannot be met at 60/s: requests alone have" in ended.err
    assert not list(stem.parent.glob("policy*"))


def test_a_calibration_that_cannot_be_is_refused_at_its_own_line(compiled):
    calibrated = "lanes: {calibrate: {alone: 900/s, shared: 20/s}}"
    ended, stem = compiled(swapped((LANES, calibrated)))
    assert ended.code == 6
    assert "interference cannot be calibrated at 900/s" in ended.err
    line = swapped((LANES, calibrated)).splitlines().index(calibrated) + 1
    assert f"service.yaml:{line}:{calibrated.index('900/s') + 1}" in ended.err
    assert not list(stem.parent.glob("policy*"))


def test_an_option_of_another_kind_s_search_is_refused(compiled):
    ended, _ = compiled(swapped(), "--objective", "threads")
    assert ended.code == 64
    assert "`--objective` does not apply to a policy of kind `elfen`" in ended.err
