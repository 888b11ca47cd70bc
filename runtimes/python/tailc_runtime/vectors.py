"""Run look-up vectors: `python -m tailc_runtime.vectors DIR`.

Each NAME.csv in DIR begins with a comment that says what it covers and lists look-ups and their
answers; NAME.json and NAME.tailc are the policy. DIR/levels/NAME.csv does so for a tail table.
DIR/steps/NAME.csv lists what the policy's controller is stepped with, sequence by sequence, and
what comes of it; DIR/shares/NAME.csv does so for shares, and DIR/plans/NAME.csv for the calls of
plans. DIR/overload/NAME.csv asks whom a ladder refuses, degrades or cuts off,
DIR/sharing/NAME.csv whom what is in use holds back, and who gives up. DIR/settings/NAME.csv says
what each rung of a ladder is, and DIR/schedules/NAME.csv what a server does at each event.
DIR/budgets/NAME.csv lists look-ups in a budget table.
DIR/refused/expected.csv lists files that must be refused, and as what; DIR/signed/expected.csv
files with what is asked of them, and what they are refused as, if at all.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from tailc_runtime.errors import PolicyError
from tailc_runtime.opening import (
    open_any,
    open_budget_table,
    open_policies,
    open_policy,
    open_shares,
    open_tail_table,
)
from tailc_runtime.plan_vectors import wrong_calls
from tailc_runtime.raw import RungSetting
from tailc_runtime.schedule_vectors import wrong_decisions
from tailc_runtime.shares import Shares
from tailc_runtime.signed_vectors import wrongly_trusted
from tailc_runtime.table import NOW, ON_EXIT, WAIT, PolicyTable
from tailc_runtime.tail_table import TailTable

# The last one only where a policy has a controller.
_QUERY = ("load", "waited_us", "executed_us", "output_ppm")
_CORE = ("elapsed_cycles", "elapsed_memory_ns", "output_ppm")
_STARTS = {"now": NOW, "wait": WAIT, "on-exit": ON_EXIT}


def rows_of(path: Path) -> tuple[str, list[dict[str, str]]]:
    """The sentences at the beginning of a vector file, and its rows."""
    lines = path.read_text(encoding="utf-8").splitlines()
    sentences = [line.removeprefix("#").strip() for line in lines if line.startswith("#")]
    return " ".join(sentences), list(csv.DictReader(lines[len(sentences) :]))


def wrong_answers(policy: Path, rows: list[dict[str, str]]) -> list[str]:
    """One line for each look-up in `rows` with a wrong answer of `policy`."""
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


def wrong_levels(policy: Path, rows: list[dict[str, str]]) -> list[str]:
    """One line for each row of `rows` with a wrong answer of `policy`, a tail table."""
    table = open_tail_table(policy)
    wrong: list[str] = []
    for row in rows:
        query = (_ages(row), *(int(row[name]) for name in _CORE))
        wanted = (int(row["level"]), int(row["frequency_khz"]))
        got = (table.level(*query), table.frequency_khz(*query))
        if got != wanted:
            wrong.append(f"{policy}: level{query} is {got}, wanted {wanted}")
    return wrong


def wrong_budgets(policy: Path, rows: list[dict[str, str]]) -> list[str]:
    """One line for each row of `rows` with a wrong answer of `policy`, a budget table."""
    table = open_budget_table(policy)
    wrong: list[str] = []
    for row in rows:
        query = int(row["decoding"]), int(row["waiting_tokens"])
        wanted = int(row["budget"]), int(row["new_sequences"])
        if (got := table.lookup(*query)) != wanted:
            wrong.append(f"{policy}: lookup{query} is {got}, wanted {wanted}")
    return wrong


def wrong_steps(policy: Path, rows: list[dict[str, str]]) -> list[str]:
    """One line for each step in `rows` with a wrong result of `policy`."""
    wrong: list[str] = []
    table = _steered(policy)
    for row in rows:
        if row["step"] == "0":
            table = _steered(policy)
        elif table.controller:
            table.controller.step(int(row["measured_us"]), int(row["rate_mrps"]))
        decides = "climbs" if "climbs" in row else "level"
        wanted = (int(row["output"]), int(row["output_ppm"]), row[decides])
        got = _decided(table, row)
        if got != wanted:
            wrong.append(f"{policy}: {row['sequence']} {row['step']} is {got}, wanted {wanted}")
    return wrong


def wrong_shares(policy: Path, rows: list[dict[str, str]]) -> list[str]:
    """One line for each tick in `rows` with wrong shares of `policy`.

    Floats are compared by their shortest text, and so bit for bit.
    """
    wrong: list[str] = []
    shares = open_shares(policy)
    for row in rows:
        if row["tick"] == "0":
            shares = open_shares(policy)
        else:
            waiting = [int(text) for text in row["waiting"].split()]
            shares.tick([float(text) for text in row["throughput"].split()], waiting or None)
        got = _shared(shares)
        wanted = {name: row[name] for name in got}
        if got != wanted:
            wrong.append(f"{policy}: {row['sequence']} {row['tick']} is {got}, wanted {wanted}")
    return wrong


def _shared(shares: Shares) -> dict[str, str]:
    served = shares.served
    return {
        "granted_ppm": " ".join(map(str, shares.granted_ppm)),
        "a": " ".join(repr(one.a) for one in served),
        "b": " ".join(repr(one.b) for one in served),
        "believed_a": " ".join(repr(one.believed[0]) for one in served),
        "believed_b": " ".join(repr(one.believed[1]) for one in served),
        "short_steps": " ".join(str(one.short_steps) for one in served),
        "cap_ppm": " ".join(str(one.cap_ppm) for one in served),
        "cannot_meet": " ".join(str(int(named)) for named in shares.cannot_meet()),
    }


def wrongly_served(policy: Path, rows: list[dict[str, str]]) -> list[str]:
    """One line for each request in `rows` with a wrong decision of `policy` under overload."""
    tables = open_policies(policy)
    wrong: list[str] = []
    for row in rows:
        in_system, *ages_us = (int(row[name]) for name in ("in_system", *_QUERY[1:3]))
        told = tables[row["request_class"] or None].overload
        got = (int(told.refuses(in_system)), told.work_ppm(in_system), int(told.cuts_off(*ages_us)))
        if got != (wanted := tuple(int(row[name]) for name in ("refused", "work_ppm", "cut_off"))):
            wrong.append(f"{policy}: {in_system} {ages_us} is {got}, wanted {wanted}")
    return wrong


def wrongly_shared(policy: Path, rows: list[dict[str, str]]) -> list[str]:
    """One line for each request in `rows` with a wrong decision of `policy` about starting."""
    tables = open_policies(policy)
    wrong: list[str] = []
    for row in rows:
        in_use_ppm, *ages_us = (int(row[name]) for name in ("in_use_ppm", *_QUERY[1:3]))
        told = tables[row["request_class"] or None].sharing
        unit = "" if told.start_unit is None else str(told.start_unit)
        got = (unit, str(int(told.starts(in_use_ppm))), str(int(told.gives_up(*ages_us))))
        if got != (wanted := tuple(row[name] for name in ("start_unit", "starts", "gives_up"))):
            wrong.append(f"{policy}: {in_use_ppm} {ages_us} is {got}, wanted {wanted}")
    return wrong


def wrong_settings(policy: Path, rows: list[dict[str, str]]) -> list[str]:
    """One line for each rung in `rows` that `policy` describes otherwise."""
    tables = open_policies(policy)
    wrong: list[str] = []
    for row in rows:
        got = _setting(tables[row["request_class"] or None].settings[int(row["rung"])])
        if got != (wanted := {name: row[name] for name in got}):
            wrong.append(f"{policy}: rung {row['rung']} is {got}, wanted {wanted}")
    return wrong


def _setting(rung: RungSetting) -> dict[str, str]:
    values = {
        "move_us": rung.move_us,
        "threads": rung.threads,
        "frequency_khz": rung.frequency_khz,
        "core_type": rung.core_type,
        "lane": rung.lane,
        "one_thread_ppm": rung.one_thread_ppm,
    }
    return {
        "speed_ppm": str(rung.speed_ppm),
        "cost_ppm": " ".join(map(str, rung.cost_ppm)),
        **{name: "" if value is None else str(value) for name, value in values.items()},
    }


def _ages(row: dict[str, str]) -> tuple[int, ...]:
    return tuple(map(int, row["ages_ns"].split()))


def _steered(policy: Path) -> PolicyTable | TailTable:
    """The tail table, or the ladder for all classes."""
    opened = open_any(policy)
    return opened if isinstance(opened, TailTable) else open_policy(policy)


def _decided(table: PolicyTable | TailTable, row: dict[str, str]) -> tuple[int, int, str] | None:
    """Output, the same in millionths, and the decisions that follow."""
    controller = table.controller
    if controller is None:
        return None
    is_tail = isinstance(table, TailTable)
    follows = str(table.level(_ages(row))) if is_tail else _climbs(table, row)
    return controller.output, controller.output_ppm, follows


def _climbs(table: PolicyTable, row: dict[str, str]) -> str:
    """The climbs of `row` that look-ups show."""
    load, before = int(row["load"]), None
    climbs: list[str] = []
    for climb in row["climbs"].split():
        age_us, rung = map(int, climb.split(":"))
        is_new = age_us == 0 or table.lookup(load, 0, age_us - 1)[2] == before
        if is_new and table.lookup(load, 0, age_us)[2] == rung:
            climbs.append(climb)
        before = rung
    return " ".join(climbs)


def wrongly_opened(folder: Path) -> list[str]:
    """One line for each file in `folder`/expected.csv that is not refused as expected."""
    wrong: list[str] = []
    for row in rows_of(folder / "expected.csv")[1]:
        path = folder / row["file"]
        try:
            open_any(path)
        except PolicyError as error:
            if error.name != row["error"]:
                wrong.append(f"{path}: refused as {error.name}, wanted {row['error']}: {error}")
        else:
            wrong.append(f"{path}: opened, wanted {row['error']}")
    return wrong


_SEQUENCES = (
    ("steps", "steps of its controller", wrong_steps),
    ("shares", "ticks of its shares", wrong_shares),
    ("plans", "calls of its plan", wrong_calls),
    ("overload", "requests under overload", wrongly_served),
    ("sharing", "requests that share", wrongly_shared),
    ("settings", "rungs", wrong_settings),
    ("schedules", "events of a server", wrong_decisions),
    ("budgets", "budgets", wrong_budgets),
)


def main(arguments: list[str]) -> int:
    """Run every vector; 0 if all answers are right, 1 if not, 64 for wrong usage."""
    if len(arguments) != 1:
        print("usage: python -m tailc_runtime.vectors DIR", file=sys.stderr)
        return 64
    folder = Path(arguments[0])
    wrong = wrongly_opened(folder / "refused")
    if (folder / "signed").is_dir():
        wrong += wrongly_trusted(folder / "signed", rows_of(folder / "signed" / "expected.csv")[1])
    queries = 0
    for path in sorted(folder.glob("*.csv")):
        sentence, rows = rows_of(path)
        print(f"{path.stem}: {len(rows)} look-ups. {sentence}")
        for suffix in (".json", ".tailc"):
            wrong += wrong_answers(path.with_suffix(suffix), rows)
            queries += len(rows)
    for path in sorted((folder / "levels").glob("*.csv")):
        sentence, rows = rows_of(path)
        print(f"{path.stem}: {len(rows)} levels. {sentence}")
        for suffix in (".json", ".tailc"):
            wrong += wrong_levels((folder / path.name).with_suffix(suffix), rows)
            queries += len(rows)
    for name, noun, check in _SEQUENCES:
        for path in sorted((folder / name).glob("*.csv")):
            rows = rows_of(path)[1]
            print(f"{path.stem}: {len(rows)} {noun}.")
            for suffix in (".json", ".tailc"):
                wrong += check((folder / path.name).with_suffix(suffix), rows)
    print(*wrong, f"{queries} look-ups, {len(wrong)} wrong", sep="\n")
    return 1 if wrong or not queries else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
