"""Writes the look-up vectors: policies in both encodings, queries with answers, files to refuse."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from damaged import damaged_files
from level_queries import queries_for
from linear_scan import look_up
from plain_budgets import COLUMNS as BUDGET_COLUMNS
from plain_budgets import rows_of_budgets
from plain_control import in_millionths, outputs, scaled_climbs
from plain_levels import level_of
from plain_overload import COLUMNS as OVERLOAD_COLUMNS
from plain_overload import NAMES as OVERLOADED
from plain_overload import rows_of_overload
from plain_sharing import COLUMNS as SHARING_COLUMNS
from plain_sharing import NAMES as SHARING
from plain_sharing import rows_of_sharing
from plan_sequences import PLAN_COLUMNS, plan_sequences, rows_of_plan
from policies import named_policies
from schedules import COLUMNS as SCHEDULE_COLUMNS
from schedules import LOADS, rows_of_schedule
from sequences import Sequence, sequences_of
from share_sequences import SHARE_COLUMNS, rows_of_shares, share_sequences
from signed_files import COLUMNS as SIGNED_COLUMNS
from signed_files import write_signed
from states import write_states

from tailc.artifact.envelope import Policy
from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json

FOLDERS = (
    *("steps", "levels", "shares", "plans", "overload", "sharing", "settings", "schedules"),
    "budgets",
)
COLUMNS = ("request_class", "load", "waited_us", "executed_us", "start", "wait_us", "rung")
# Where a policy has a controller, what it puts out at the look-up.
STEERED_COLUMNS = (*COLUMNS[:4], "output_ppm", *COLUMNS[4:])
OUTPUTS_PPM = (1_000_000, 0, 999_999, 500_000, 333_333, 1)
LEVEL_COLUMNS = (
    *("ages_ns", "elapsed_cycles", "elapsed_memory_ns"),
    *("output_ppm", "level", "frequency_khz"),
)
SETTINGS = ("move_us", "threads", "frequency_khz", "core_type", "lane", "one_thread_ppm")
# Policies whose rungs are listed: two without settings, and all with some.
WITH_SETTINGS = ("lucene", "cores", "settings", "settings-every")
SETTING_COLUMNS = ("request_class", "rung", "speed_ppm", "cost_ppm", *SETTINGS)
STEP_COLUMNS = ("sequence", "step", "measured_us", "rate_mrps", "output", "output_ppm")
LARGEST = 2**53 - 1
NS_PER_US = 1_000
QUERIES_PER_LADDER = 400


def write_vectors(folder: Path) -> None:
    """NAME.json and NAME.tailc for every policy, NAME.csv for ladders, levels/NAME.csv for tail
    tables, shares/NAME.csv for shares, plans/NAME.csv for plans, steps/NAME.csv for controllers,
    overload/NAME.csv for rules of overload, sharing/NAME.csv for rules of sharing,
    settings/NAME.csv for the rungs of ladders, schedules/NAME.csv for servers, budgets/NAME.csv
    for budget tables, and the folders `refused` and `signed`.
    """
    refused, signed = folder / "refused", folder / "signed"
    for needed in (refused, signed, *(folder / name for name in FOLDERS)):
        needed.mkdir(parents=True, exist_ok=True)
    for name, (sentence, policy) in named_policies().items():
        _write_policy(folder, name, sentence, policy)
    damaged = damaged_files()
    for file, (_, data) in damaged.items():
        (refused / file).write_bytes(data)
    sentence = "Files that every reader refuses, with the word of the refusal."
    rows = [[file, error] for file, (error, _) in damaged.items()]
    _write_csv(refused / "expected.csv", sentence, ("file", "error"), rows)
    sentence = "Files to open with the given trusted keys, and the word of the refusal, if any."
    _write_csv(signed / "expected.csv", sentence, SIGNED_COLUMNS, write_signed(signed))
    write_states(folder / "states")


def _write_policy(folder: Path, name: str, sentence: str, policy: Policy) -> None:
    document = encode_json(policy)
    plain = json.loads(document)
    (folder / f"{name}.json").write_bytes(document)
    (folder / f"{name}.tailc").write_bytes(encode_flat(policy))
    if policy.ladders:
        columns = STEERED_COLUMNS if policy.controller else COLUMNS
        _write_csv(folder / f"{name}.csv", sentence, columns, _answered(name, plain))
    if name in WITH_SETTINGS:
        rows = _settings(plain)
        _write_csv(folder / "settings" / f"{name}.csv", sentence, SETTING_COLUMNS, rows)
    if name in LOADS:
        rows = rows_of_schedule(name, folder / f"{name}.tailc")
        about = f"What a server does at each event with its requests. {sentence}"
        _write_csv(folder / "schedules" / f"{name}.csv", about, SCHEDULE_COLUMNS, rows)
    if name in OVERLOADED:
        rows = rows_of_overload(name, plain)
        _write_csv(folder / "overload" / f"{name}.csv", sentence, OVERLOAD_COLUMNS, rows)
    if name in SHARING:
        rows = rows_of_sharing(name, plain)
        _write_csv(folder / "sharing" / f"{name}.csv", sentence, SHARING_COLUMNS, rows)
    _write_only_form(folder, name, sentence, policy)
    if policy.controller:
        _write_steps(folder / "steps" / f"{name}.csv", plain, sequences_of(name))


def _write_only_form(folder: Path, name: str, sentence: str, policy: Policy) -> None:
    """Vectors of a policy with one form that is no ladder."""
    plain = json.loads(encode_json(policy))
    if policy.tail_table:
        rows = _levels(name, plain)
        _write_csv(folder / "levels" / f"{name}.csv", sentence, LEVEL_COLUMNS, rows)
    if policy.budget_table:
        rows = rows_of_budgets(name, plain["forms"][0])
        _write_csv(folder / "budgets" / f"{name}.csv", sentence, BUDGET_COLUMNS, rows)
    if policy.shares:
        _write_shares(folder / "shares" / f"{name}.csv", plain["forms"][0], name)
    if policy.plan:
        _write_plan(folder / "plans" / f"{name}.csv", plain["forms"][0], name)


def _levels(name: str, document: dict[str, Any]) -> list[list[Any]]:
    """What a core holds, and the level it runs at then; ages are separated by blanks."""
    table, *steered = document["forms"]
    seed = hashlib.sha256(name.encode()).digest()
    rows: list[list[Any]] = []
    for query in queries_for(table, bool(steered), Random(seed)):
        level = level_of(table, *query)
        ages = " ".join(map(str, query.ages_ns))
        rows.append([ages, *query[1:], level, table["levels"][level]["frequency_khz"]])
    return rows


def _settings(document: dict[str, Any]) -> list[list[Any]]:
    """A line for each rung; costs are separated by blanks, and an absent member is empty."""
    ladders = [form for form in document["forms"] if form["form"] == "ladder"]
    return [
        [
            *(ladder.get("request_class", ""), number, rung["speed_ppm"]),
            " ".join(map(str, rung["cost_ppm"])),
            *(rung.get(name, "") for name in SETTINGS),
        ]
        for ladder in ladders
        for number, rung in enumerate(ladder["rungs"])
    ]


def _answered(name: str, document: dict[str, Any]) -> list[list[Any]]:
    rows: list[list[Any]] = []
    ladders = [form for form in document["forms"] if form["form"] == "ladder"]
    steered = len(ladders) < len(document["forms"])
    for ladder in ladders:
        request_class = ladder.get("request_class", "")
        seed = hashlib.sha256(f"{name}/{request_class}".encode()).digest()
        for number, query in enumerate(_queries(ladder, Random(seed))):
            output = [OUTPUTS_PPM[number % len(OUTPUTS_PPM)]] if steered else []
            answer = look_up(ladder, *query, *output)
            rows.append([request_class, *query, *output, *answer.values()])
    return rows


def _queries(ladder: dict[str, Any], rng: Random) -> list[tuple[int, int, int]]:
    """Every edge once, then draws from the edges and between them."""
    loads, waits, ages = _edges(ladder)
    queries = [(load, 0, 0) for load in loads]
    queries += [(rng.choice(loads), wait, 0) for wait in waits]
    queries += [(rng.choice(loads), 0, age) for age in ages]
    while len(queries) < QUERIES_PER_LADDER:
        wait, age = _near(waits, rng), _near(ages, rng)
        queries.append((_near(loads, rng), wait, min(age, LARGEST - wait)))
    return queries


def _edges(ladder: dict[str, Any]) -> tuple[list[int], list[int], list[int]]:
    """Loads, waits and ages at which an answer may change, one below and one above each."""
    rows, guard = ladder["rows"], ladder["guard"]
    loads = {row["first_load"] for row in rows} | {guard["min_load"], guard["max_load"]}
    delays = {row["admission"]["delay_us"] for row in rows}
    ages = {climb["age_us"] for row in rows for climb in row["climbs"]}
    return _around(loads), _around(delays), _around(ages)


def _around(values: set[int]) -> list[int]:
    near = {value + step for value in values for step in (-1, 0, 1)}
    return sorted(value for value in near if 0 <= value <= LARGEST)


def _near(edges: list[int], rng: Random) -> int:
    """An edge, or a number between the smallest and a little above the largest."""
    if rng.random() < 0.5:
        return rng.choice(edges)
    return min(rng.randrange(edges[-1] + edges[-1] // 4 + 2), LARGEST)


def _write_steps(path: Path, document: dict[str, Any], sequences: list[Sequence]) -> None:
    sentences = [f"{sequence.name}: {sequence.sentence}" for sequence in sequences]
    follows, decided = _decided_by(document)
    rows = [row for sequence in sequences for row in _stepped(document, sequence, decided)]
    _write_csv(path, "\n# ".join(sentences), (*STEP_COLUMNS, *follows), rows)


def _stepped(
    document: dict[str, Any], sequence: Sequence, decided: Callable[[int], list[Any]]
) -> list[list[Any]]:
    """A line before the first step and one for each, with what is decided under the output."""
    controller = document["forms"][-1]
    rows: list[list[Any]] = []
    measured = [("", ""), *sequence.steps]
    for number, output in enumerate(outputs(controller, list(sequence.steps))):
        shown = in_millionths(controller, output)
        now = [sequence.name, number, *measured[number], output, shown]
        rows.append([*now, *decided(shown)])
    return rows


def _decided_by(document: dict[str, Any]) -> tuple[tuple[str, ...], Callable[[int], list[Any]]]:
    """Columns, and what stands in them under an output: the climbs of the last row, or the level
    for a core with one request less than a row has positions.
    """
    form = document["forms"][0]
    if form["form"] == "ladder":
        last = form["rows"][-1]

        def climbs(output_ppm: int) -> list[Any]:
            scaled = scaled_climbs(last, output_ppm)
            return [last["first_load"], " ".join(f"{age}:{rung}" for age, rung in scaled)]

        return ("load", "climbs"), climbs
    count = len(form["cycles"][0]["left"]) - 1
    ages = tuple(range(count * NS_PER_US, 0, -NS_PER_US))
    return ("ages_ns", "level"), lambda output_ppm: [
        " ".join(map(str, ages)),
        level_of(form, ages, 0, 0, output_ppm),
    ]


def _write_shares(path: Path, shares: dict[str, Any], name: str) -> None:
    sequences = share_sequences(name)
    sentences = [f"{sequence.name}: {sequence.sentence}" for sequence in sequences]
    rows = [row for sequence in sequences for row in rows_of_shares(shares, sequence)]
    _write_csv(path, "\n# ".join(sentences), SHARE_COLUMNS, rows)


def _write_plan(path: Path, plan: dict[str, Any], name: str) -> None:
    sequences = plan_sequences(name, plan)
    sentences = [f"{sequence.name}: {sequence.sentence}" for sequence in sequences]
    rows = [row for sequence in sequences for row in rows_of_plan(plan, sequence)]
    _write_csv(path, "\n# ".join(sentences), PLAN_COLUMNS, rows)


def _write_csv(path: Path, sentence: str, columns: tuple[str, ...], rows: list[list[Any]]) -> None:
    lines = [f"# {sentence}", ",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_bytes(("\n".join(lines) + "\n").encode())
