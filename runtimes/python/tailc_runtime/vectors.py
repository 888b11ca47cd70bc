"""Run look-up vectors: `python -m tailc_runtime.vectors DIR`.

Each NAME.csv in DIR begins with a comment that says what it covers and lists look-ups and their
answers; NAME.json and NAME.tailc are the policy. DIR/steps/NAME.csv lists what its controller is
stepped with, sequence by sequence, and what comes of it. DIR/refused/expected.csv lists files that
must be refused, and as what.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from tailc_runtime.errors import PolicyError
from tailc_runtime.opening import open_policies, open_policy
from tailc_runtime.table import NOW, ON_EXIT, WAIT, PolicyTable

# The last one only where a policy has a controller.
_QUERY = ("load", "waited_us", "executed_us", "output_ppm")
_STARTS = {"now": NOW, "wait": WAIT, "on-exit": ON_EXIT}


def rows_of(path: Path) -> tuple[str, list[dict[str, str]]]:
    """The sentences at the head of a vector file, and its rows."""
    lines = path.read_text(encoding="utf-8").splitlines()
    sentences = [line.removeprefix("#").strip() for line in lines if line.startswith("#")]
    return " ".join(sentences), list(csv.DictReader(lines[len(sentences) :]))


def wrong_answers(policy: Path, rows: list[dict[str, str]]) -> list[str]:
    """One line for each look-up in `rows` that `policy` answers otherwise."""
    tables = open_policies(policy)
    wrong: list[str] = []
    for row in rows:
        query = tuple(int(row[name]) for name in _QUERY if name in row)
        wanted = (_STARTS[row["start"]], int(row["wait_us"]), int(row["rung"]))
        table = tables[row["request_class"] or None]
        got = table.lookup(*query) if len(query) < len(_QUERY) else table.lookup_scaled(*query)
        if got != wanted:
            wrong.append(f"{policy}: lookup{query} is {got}, wanted {wanted}")
    return wrong


def wrong_steps(policy: Path, rows: list[dict[str, str]]) -> list[str]:
    """One line for each step in `rows` after which `policy` decides otherwise."""
    wrong: list[str] = []
    table = open_policy(policy)
    for row in rows:
        if row["step"] == "0":
            table = open_policy(policy)
        elif table.controller:
            table.controller.step(int(row["measured_us"]), int(row["rate_mrps"]))
        wanted = (int(row["output"]), int(row["output_ppm"]), row["climbs"])
        got = _decided(table, row)
        if got != wanted:
            wrong.append(f"{policy}: {row['sequence']} {row['step']} is {got}, wanted {wanted}")
    return wrong


def _decided(table: PolicyTable, row: dict[str, str]) -> tuple[int, int, str] | None:
    """Output, the same in millionths, and of the climbs in `row` those that look-ups show."""
    controller = table.controller
    if controller is None:
        return None
    load, before = int(row["load"]), None
    climbs: list[str] = []
    for climb in row["climbs"].split():
        age_us, rung = map(int, climb.split(":"))
        is_new = age_us == 0 or table.lookup(load, 0, age_us - 1)[2] == before
        if is_new and table.lookup(load, 0, age_us)[2] == rung:
            climbs.append(climb)
        before = rung
    return controller.output, controller.output_ppm, " ".join(climbs)


def wrongly_opened(folder: Path) -> list[str]:
    """One line for each file in `folder`/expected.csv that is not refused as it says."""
    wrong: list[str] = []
    for row in rows_of(folder / "expected.csv")[1]:
        path = folder / row["file"]
        try:
            open_policy(path)
        except PolicyError as error:
            if error.name != row["error"]:
                wrong.append(f"{path}: refused as {error.name}, wanted {row['error']}: {error}")
        else:
            wrong.append(f"{path}: opened, wanted {row['error']}")
    return wrong


def main(arguments: list[str]) -> int:
    """Run every vector; 0 if all answers are right, 1 if not, 64 for wrong usage."""
    if len(arguments) != 1:
        print("usage: python -m tailc_runtime.vectors DIR", file=sys.stderr)
        return 64
    folder = Path(arguments[0])
    wrong = wrongly_opened(folder / "refused")
    queries = 0
    for path in sorted(folder.glob("*.csv")):
        sentence, rows = rows_of(path)
        print(f"{path.stem}: {len(rows)} look-ups. {sentence}")
        for suffix in (".json", ".tailc"):
            wrong += wrong_answers(path.with_suffix(suffix), rows)
            queries += len(rows)
    for path in sorted((folder / "steps").glob("*.csv")):
        rows = rows_of(path)[1]
        print(f"{path.stem}: {len(rows)} steps of its controller.")
        for suffix in (".json", ".tailc"):
            wrong += wrong_steps((folder / path.name).with_suffix(suffix), rows)
    print(*wrong, f"{queries} look-ups, {len(wrong)} wrong", sep="\n")
    return 1 if wrong or not queries else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
