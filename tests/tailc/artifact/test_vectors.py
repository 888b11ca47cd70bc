"""The look-up vectors, answered by the reference look-up, and what they cover."""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter
from pathlib import Path

import pytest

from tailc.artifact.envelope import Policy
from tailc.artifact.files import read_policy
from tailc.errors import Code, TailcError
from tailc.forms.budget_table import allowance
from tailc.forms.controller import (
    ControlState,
    first_state,
    gains_at,
    output_ppm,
    scaled_ladder,
    scaled_row,
    step,
)
from tailc.forms.ladder.lookup import LookupAnswer, Start, lookup, row_at
from tailc.forms.ladder.table import AdmissionKind, LoadAxis, Outside, Rule
from tailc.forms.shares import Shares
from tailc.forms.shares_cap import CapMode
from tailc.forms.shares_step import HostState, cannot_meet, tick
from tailc.forms.shares_step import first_state as first_shares_state
from tailc.forms.tail_table import QueuedRequests, least_level, level_for
from tests.tailc.artifact.published import VECTORS

FILES = sorted(VECTORS.glob("*.csv"))
STEPS = sorted((VECTORS / "steps").glob("*.csv"))
SHARES = sorted((VECTORS / "shares").glob("*.csv"))
BUDGETS = sorted((VECTORS / "budgets").glob("*.csv"))
LEVELS = sorted((VECTORS / "levels").glob("*.csv"))
EVERY = [read_policy(path) for path in sorted(VECTORS.glob("*.json"))]
POLICIES = [read_policy(path.with_suffix(".json")) for path in FILES]
LADDERS = [ladder for policy in POLICIES for ladder in policy.ladders]

CODES = {
    "truncated": Code.LENGTH_MISMATCH,
    "hash-mismatch": Code.HASH_MISMATCH,
    "not-canonical": Code.NOT_CANONICAL,
    "bad-structure": Code.BAD_STRUCTURE,
    "bad-meaning": Code.BAD_ARTIFACT,
    "unknown-rule": Code.UNKNOWN_RULE,
    "unknown-form": Code.UNKNOWN_FORM,
    "unknown-schema": Code.UNKNOWN_SCHEMA,
}


def rows_of(path: Path) -> list[dict[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    assert lines[0].endswith(".")
    return list(csv.DictReader(lines[1:]))


def steps_of(path: Path) -> list[list[dict[str, str]]]:
    return sequences_of(path, "step")


def sequences_of(path: Path, number: str) -> list[list[dict[str, str]]]:
    """The rows of each sequence, and a sentence for every one of them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    comments = [line for line in lines if line.startswith("# ")]
    rows = list(csv.DictReader(lines[len(comments) :]))
    told = [re.fullmatch(r"# ([a-z-]+): [A-Z].*\.", comment) for comment in comments]
    assert [row["sequence"] for row in rows if row[number] == "0"] == [t and t[1] for t in told]
    groups = itertools.groupby(rows, key=lambda row: row["sequence"])
    return [list(group) for _, group in groups]


def answers(policy: Policy, rows: list[dict[str, str]]) -> list[LookupAnswer]:
    ladders = {ladder.request_class: ladder for ladder in policy.ladders}
    return [
        lookup(
            scaled_ladder(
                ladders[row["request_class"] or None], int(row.get("output_ppm", 1_000_000))
            ),
            int(row["load"]),
            int(row["waited_us"]),
            int(row["executed_us"]),
        )
        for row in rows
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("suffix", [".json", ".tailc"])
def test_the_reference_lookup_gives_every_expected_answer(path: Path, suffix: str) -> None:
    rows = rows_of(path)
    wanted = [
        LookupAnswer(Start(row["start"]), int(row["wait_us"]), int(row["rung"])) for row in rows
    ]
    got = answers(read_policy(path.with_suffix(suffix)), rows)
    wrong = [
        f"{row}: got {mine}" for row, mine, theirs in zip(rows, got, wanted, strict=True)
        if mine != theirs
    ]  # fmt: skip
    assert not wrong


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.stem)
def test_the_reference_controller_takes_every_expected_step(path: Path) -> None:
    policy = read_policy(VECTORS / f"{path.stem}.json")
    assert policy.controller
    for before, *rows in steps_of(path):
        state = first_state(policy.controller)
        assert told(policy, state, before) == said(before)
        for row in rows:
            measured_us, rate_mrps = int(row["measured_us"]), int(row["rate_mrps"])
            state = step(policy.controller, state, measured_us, rate_mrps)
            assert told(policy, state, row) == said(row), row


def told(policy: Policy, state: ControlState, row: dict[str, str]) -> tuple[int, int, str]:
    """Output, the same in millionths, and the climbs under it at the load of `row`, or the level
    for what it says a core holds.
    """
    assert policy.controller
    shown = output_ppm(policy.controller, state)
    if policy.tail_table:
        return state.output, shown, str(level_for(policy.tail_table, queued(row), shown))
    climbs = scaled_row(row_at(policy.ladders[0], int(row["load"])), shown).climbs
    return state.output, shown, " ".join(f"{climb.age_us}:{climb.rung}" for climb in climbs)


def said(row: dict[str, str]) -> tuple[int, int, str]:
    return int(row["output"]), int(row["output_ppm"]), row.get("climbs") or row["level"]


def queued(row: dict[str, str]) -> QueuedRequests:
    ages = tuple(map(int, row["ages_ns"].split()))
    elapsed = (int(row.get(name, 0)) for name in ("elapsed_cycles", "elapsed_memory_ns"))
    return QueuedRequests(ages, *elapsed)


@pytest.mark.parametrize("path", LEVELS, ids=lambda path: path.stem)
@pytest.mark.parametrize("suffix", [".json", ".tailc"])
def test_the_reference_tail_table_gives_every_expected_level(path: Path, suffix: str) -> None:
    table = read_policy(VECTORS / f"{path.stem}{suffix}").tail_table
    assert table
    rows = rows_of(path)
    for row in rows:
        level = level_for(table, queued(row), int(row["output_ppm"]))
        assert level == int(row["level"]), row
        assert table.levels[level].frequency_khz == int(row["frequency_khz"])
    assert len(rows) >= 400


def test_every_tail_table_has_levels_and_they_reach_all_it_may_run_at() -> None:
    assert {path.stem for path in LEVELS} == {p.name for p in EVERY if p.tail_table}
    for path in LEVELS:
        table = read_policy(VECTORS / f"{path.stem}.json").tail_table
        assert table
        found = {int(row["level"]) for row in rows_of(path)}
        assert found == set(range(least_level(table), len(table.levels)))


@pytest.mark.parametrize("path", BUDGETS, ids=lambda path: path.stem)
@pytest.mark.parametrize("suffix", [".json", ".tailc"])
def test_the_reference_budget_table_gives_every_expected_budget(path: Path, suffix: str) -> None:
    table = read_policy(VECTORS / f"{path.stem}{suffix}").budget_table
    assert table
    rows = rows_of(path)
    for row in rows:
        cell = allowance(table, int(row["decoding"]), int(row["waiting_tokens"]))
        assert cell.budget == int(row["budget"]), row
        assert cell.new_sequences == int(row["new_sequences"])
    assert len(rows) >= 160


def test_every_cell_of_every_budget_table_is_looked_up() -> None:
    assert {path.stem for path in BUDGETS} == {p.name for p in EVERY if p.budget_table}
    for path in BUDGETS:
        table = read_policy(VECTORS / f"{path.stem}.json").budget_table
        assert table
        wanted = {(budget, row.new_sequences) for row in table.rows for budget in row.budgets}
        found = {(int(row["budget"]), int(row["new_sequences"])) for row in rows_of(path)}
        assert found == wanted


def test_queues_as_long_as_the_rows_and_longer_ones_are_asked_about() -> None:
    for path in LEVELS:
        table = read_policy(VECTORS / f"{path.stem}.json").tail_table
        assert table
        lengths = {len(row["ages_ns"].split()) for row in rows_of(path)}
        assert lengths >= set(range(1, table.positions + 2))
        assert int(rows_of(path)[0]["elapsed_cycles"]) == 0


def test_every_controller_is_stepped_and_reaches_both_limits_and_every_row_of_gains() -> None:
    assert {path.stem for path in STEPS} == {p.name for p in EVERY if p.controller}
    for path in STEPS:
        controller = read_policy(VECTORS / f"{path.stem}.json").controller
        assert controller
        rows = [row for sequence in steps_of(path) for row in sequence]
        outputs = {int(row["output_ppm"]) for row in rows}
        assert {controller.least_ppm, controller.most_ppm} <= outputs
        rates = [int(row["rate_mrps"]) for row in rows if row["rate_mrps"]]
        assert {gains_at(controller, rate) for rate in rates} == set(controller.gains)


@pytest.mark.parametrize("path", SHARES, ids=lambda path: path.stem)
def test_the_reference_shares_take_every_expected_tick(path: Path) -> None:
    """Doubles by their shortest text, and so bit for bit."""
    shares = read_policy(VECTORS / f"{path.stem}.json").shares
    assert shares
    for before, *rows in sequences_of(path, "tick"):
        state = first_shares_state(shares)
        assert shared(shares, state) == [before[name] for name in SHARE_COLUMNS]
        for row in rows:
            measured = [float(text) for text in row["throughput"].split()]
            assert " ".join(map(repr, measured)) == row["throughput"]
            waiting = [int(text) for text in row["waiting"].split()]
            state = tick(shares, state, measured, waiting or None)
            assert shared(shares, state) == [row[name] for name in SHARE_COLUMNS], row


SHARE_COLUMNS = (
    *("granted_ppm", "a", "b", "believed_a", "believed_b"),
    *("short_steps", "cap_ppm", "cannot_meet"),
)


def shared(shares: Shares, state: HostState) -> list[str]:
    machines = state.machines
    doubles = ("a", "b", "believed_a", "believed_b")
    return [
        " ".join(map(str, state.granted_ppm)),
        *(" ".join(repr(getattr(one.estimate, name)) for one in machines) for name in doubles),
        " ".join(str(one.short_steps) for one in machines),
        " ".join(str(one.cap.cap_ppm) for one in machines),
        " ".join(str(int(named)) for named in cannot_meet(shares, state)),
    ]


def test_shares_are_cut_short_not_believed_and_left_over_in_the_vectors() -> None:
    """Every way that shares are given is in the sequences of `shares`."""
    assert {path.stem for path in SHARES} == {policy.name for policy in EVERY if policy.shares}
    rows = [row for rows in sequences_of(VECTORS / "shares" / "shares.csv", "tick") for row in rows]
    grants = [tuple(map(int, row["granted_ppm"].split())) for row in rows]
    assert any(row["a"] != row["believed_a"] for row in rows)
    assert any(int(steps) >= 4 for row in rows for steps in row["short_steps"].split())
    assert any(one + two >= 999_990 and rest == 0 for one, two, rest in grants)
    assert any(20_000 in grant[:2] for grant in grants)
    assert any(rest > 500_000 for _, _, rest in grants)


@pytest.mark.parametrize("name", ["shares-cap", "shares-cap-settling"])
def test_caps_are_tried_kept_probed_and_lifted_in_the_vectors(name: str) -> None:
    shares = read_policy(VECTORS / f"{name}.json").shares
    assert shares
    seen = Counter()
    for _, *rows in sequences_of(VECTORS / "shares" / f"{name}.csv", "tick"):
        state = first_shares_state(shares)
        for row in rows:
            before = [one.cap.mode for one in state.machines]
            waiting = [int(text) for text in row["waiting"].split()]
            state = tick(
                shares, state, list(map(float, row["throughput"].split())), waiting or None
            )
            seen.update(zip(before, [one.cap.mode for one in state.machines], strict=True))
    free, trial, capped, probe = CapMode
    changes = {(free, trial), (trial, capped), (trial, free), (capped, probe), (probe, capped)}
    assert changes | {(probe, free)} <= set(seen)


def test_both_encodings_of_a_vector_are_the_same_policy() -> None:
    for policy in EVERY:
        assert read_policy(VECTORS / f"{policy.name}.tailc") == policy
    assert {path.stem for path in VECTORS.glob("*.tailc")} == {policy.name for policy in EVERY}


def test_the_vectors_use_every_axis_rule_admission_guard_and_a_class() -> None:
    assert {ladder.load_axis for ladder in LADDERS} == set(LoadAxis)
    assert {rule for ladder in LADDERS for rule in ladder.rules} == set(Rule)
    kinds = {row.admission.kind for ladder in LADDERS for row in ladder.rows}
    assert kinds == set(AdmissionKind)
    assert {ladder.guard.outside for ladder in LADDERS} == set(Outside)
    assert any(ladder.request_class for ladder in LADDERS)
    assert any(ladder.boost for ladder in LADDERS)


def test_there_are_at_least_two_thousand_queries_with_every_kind_of_answer() -> None:
    rows = [row for path in FILES for row in rows_of(path)]
    assert len(rows) >= 2_000
    starts = Counter(row["start"] for row in rows)
    assert min(starts[start.value] for start in Start) >= 100


def test_the_published_table_is_looked_up_as_it_is_printed() -> None:
    """Haque et al., ASPLOS 2015, Table 2, by hand: rows 13, 14, 24 and 25."""
    (ladder,) = POLICIES[[path.stem for path in FILES].index("lucene")].forms
    ms = 1_000
    assert lookup(ladder, 6, 0, 0) == LookupAnswer(Start.NOW, 0, 3)
    assert lookup(ladder, 13, 0, 99 * ms) == LookupAnswer(Start.NOW, 0, 0)
    assert lookup(ladder, 13, 0, 100 * ms) == LookupAnswer(Start.NOW, 0, 1)
    assert lookup(ladder, 14, 4 * ms, 0) == LookupAnswer(Start.WAIT, 6 * ms, 0)
    assert lookup(ladder, 14, 10 * ms, 225 * ms) == LookupAnswer(Start.NOW, 0, 3)
    assert lookup(ladder, 24, 0, 0) == LookupAnswer(Start.WAIT, 90 * ms, 0)
    # The e1 row counts its climbs from t_0 = 90 ms: 315, 390, 440 become 225, 300, 350.
    assert lookup(ladder, 25, 500 * ms, 224 * ms) == LookupAnswer(Start.ON_EXIT, 0, 0)
    assert [lookup(ladder, 99, 0, age * ms).rung for age in (225, 299, 300, 350)] == [1, 1, 2, 3]


@pytest.mark.parametrize(
    "row", rows_of(VECTORS / "refused" / "expected.csv"), ids=lambda row: row["file"]
)
def test_every_damaged_file_is_refused_for_the_stated_reason(row: dict[str, str]) -> None:
    with pytest.raises(TailcError) as caught:
        read_policy(VECTORS / "refused" / row["file"])
    assert caught.value.findings[0].code is CODES[row["error"]]
