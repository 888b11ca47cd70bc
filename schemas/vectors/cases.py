"""Writes the look-up vectors: policies in both encodings, queries with answers, files to refuse."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from random import Random
from typing import Any

from damaged import damaged_files
from linear_scan import look_up
from plain_control import in_millionths, outputs, scaled_climbs
from policies import named_policies
from sequences import Sequence, sequences_of

from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json

COLUMNS = ("request_class", "load", "waited_us", "executed_us", "start", "wait_us", "rung")
# Where a policy has a controller, what it puts out at the look-up.
STEERED_COLUMNS = (*COLUMNS[:4], "output_ppm", *COLUMNS[4:])
OUTPUTS_PPM = (1_000_000, 0, 999_999, 500_000, 333_333, 1)
STEP_COLUMNS = (
    *("sequence", "step", "measured_us", "rate_mrps"),
    *("output", "output_ppm", "load", "climbs"),
)
LARGEST = 2**53 - 1
QUERIES_PER_LADDER = 400


def write_vectors(folder: Path) -> None:
    """NAME.json, NAME.tailc and NAME.csv for every policy, steps/NAME.csv for every controller, and
    the folder `refused`.
    """
    refused, steps = folder / "refused", folder / "steps"
    for needed in (refused, steps):
        needed.mkdir(parents=True, exist_ok=True)
    for name, (sentence, policy) in named_policies().items():
        document = encode_json(policy)
        (folder / f"{name}.json").write_bytes(document)
        (folder / f"{name}.tailc").write_bytes(encode_flat(policy))
        columns = STEERED_COLUMNS if policy.controller else COLUMNS
        _write_csv(folder / f"{name}.csv", sentence, columns, _answered(name, json.loads(document)))
        if policy.controller:
            _write_steps(steps / f"{name}.csv", json.loads(document), sequences_of(name))
    damaged = damaged_files()
    for file, (_, data) in damaged.items():
        (refused / file).write_bytes(data)
    sentence = "Files that every reader refuses, and as what."
    rows = [[file, error] for file, (error, _) in damaged.items()]
    _write_csv(refused / "expected.csv", sentence, ("file", "error"), rows)


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
    rows = [row for sequence in sequences for row in _stepped(document, sequence)]
    _write_csv(path, "\n# ".join(sentences), STEP_COLUMNS, rows)


def _stepped(document: dict[str, Any], sequence: Sequence) -> list[list[Any]]:
    """A line before the first step and one for each; climbs are those of the last row."""
    ladder, controller = document["forms"][0], document["forms"][-1]
    last = ladder["rows"][-1]
    rows: list[list[Any]] = []
    measured = [("", ""), *sequence.steps]
    for number, output in enumerate(outputs(controller, list(sequence.steps))):
        shown = in_millionths(controller, output)
        climbs = " ".join(f"{age}:{rung}" for age, rung in scaled_climbs(last, shown))
        now = [sequence.name, number, *measured[number], output, shown]
        rows.append([*now, last["first_load"], climbs])
    return rows


def _write_csv(path: Path, sentence: str, columns: tuple[str, ...], rows: list[list[Any]]) -> None:
    lines = [f"# {sentence}", ",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_bytes(("\n".join(lines) + "\n").encode())
