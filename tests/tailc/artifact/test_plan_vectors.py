"""The plan's reference semantics against the vectors of plans."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tailc.artifact.files import read_policy
from tailc.forms.plan.plan import Plan
from tailc.forms.plan.quote import RigidJob, cheapest_places, cheapest_width, quote
from tailc.forms.plan.spans import spans_of
from tests.tailc.artifact.published import VECTORS

PLANS = sorted((VECTORS / "plans").glob("*.csv"))
Row = dict[str, str]


def rows_of(path: Path) -> list[Row]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def plan_of(path: Path) -> Plan:
    found = read_policy(VECTORS / f"{path.stem}.json").plan
    assert found
    return found


def calls(path: Path, *names: str) -> Iterator[tuple[Row, Any]]:
    """Calls of these names, with the free servers at that moment by the answers so far."""
    plan = plan_of(path)
    for _, sequence in groupby(rows_of(path), key=lambda row: row["sequence"]):
        free = plan.free.copy()
        held = {job.name: places_of(plan, job.spans) for job in plan.jobs}
        for row in sequence:
            if row["call"] in names:
                yield row, free
            if row["answer"] in ("admitted", "taken") and row["job"]:
                spans = [tuple(map(int, span.split(":"))) for span in row["places"].split()]
                places = np.zeros_like(free)
                for first, pool, epochs, servers in spans:
                    places[pool, first : first + epochs] = servers
                held[row["job"]] = places
                free -= places
            elif row["call"] == "release":
                first = int(row["first_epoch"])
                free[:, first:] += held[row["job"]][:, first:]
                held[row["job"]][:, first:] = 0


def places_of(plan: Plan, spans: Any) -> Any:
    places = np.zeros_like(plan.free)
    for span in spans:
        places[span.pool, span.epoch_slice] = span.servers
    return places


def told(places: Any) -> str:
    spans = () if places is None else spans_of(places)
    return " ".join(f"{s.first_epoch}:{s.pool}:{s.epochs}:{s.servers}" for s in spans)


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_the_reference_plan_gives_every_expected_quote(path: Path) -> None:
    for row, free in calls(path, "quote", "admit"):
        asked = (int(row[name]) for name in ("first_epoch", "epochs", "width", "green_ppm"))
        found = quote(plan_of(path), free, RigidJob(*asked))
        room = {True: "admitted", False: "refused"}[found.is_admitted]
        answer = "no-room" if found.places is None else room
        amounts = found.pays_udollars, found.worth_udollars, found.green_slots
        wanted = [row[name] for name in ("pays_udollars", "worth_udollars", "green_slots")]
        assert [answer, *map(str, amounts)] == [row["answer"], *wanted], row
        assert told(found.places) == row["places"], row


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_the_reference_plan_gives_every_expected_width_and_place(path: Path) -> None:
    plan = plan_of(path)
    for row, free in calls(path, "width", "take"):
        first = int(row["first_epoch"])
        if row["call"] == "width":
            pairs = (pair.split(":") for pair in row["widths"].split())
            widths = {int(width): int(epochs) for width, epochs in pairs}
            found = cheapest_width(plan, free, first, widths)
            assert ("" if found is None else str(found)) == row["answer"], row
        else:
            places = cheapest_places(plan, free, first, int(row["epochs"]), int(row["width"]))
            assert told(places) == row["places"], row


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_the_reference_plan_looks_up_every_moment(path: Path) -> None:
    plan = plan_of(path)
    for row in rows_of(path):
        if row["call"] not in ("epoch", "source", "allocation") or row["sequence"] != "moments":
            continue
        epoch = plan.epoch_at(int(row["unix_s"]))
        if row["call"] == "epoch":
            assert row["answer"] == ("" if epoch is None else str(epoch)), row
        elif row["call"] == "source":
            on = (
                "green" if epoch is not None and plan.is_green(int(row["pool"]), epoch) else "brown"
            )
            bus = on if plan.has_buses else "mixed"
            assert row["answer"] == ("" if epoch is None else bus), row
        else:
            held = None if epoch is None else plan.allocation(row["job"], epoch)
            assert row["answer"] == ("" if held is None else "told"), row
            assert row["places"] == " ".join(f"{p}:{n}" for p, n in held or ()), row


def test_the_reference_plan_tells_what_every_battery_does_and_holds() -> None:
    checked = 0
    for path in PLANS:
        plan = plan_of(path)
        for row, _ in calls(path, "stored"):
            epoch, battery = plan.epoch_at(int(row["unix_s"])), plan.battery
            assert battery
            if epoch is None:
                assert row["answer"] == ""
            else:
                flow_mj, state_mj = (
                    plan.battery_mj[epoch],
                    battery.states_mj(plan.battery_mj)[epoch],
                )
                assert row["answer"] == f"{flow_mj}:{state_mj}", row
            checked += 1
    assert checked == 2 * (13 + 17 + 6) - 5


def test_the_vectors_admit_refuse_fill_up_and_exchange() -> None:
    """Jobs that are put where it is not cheapest, for their promise, are among them."""
    racks = VECTORS / "plans" / "plan.csv"
    answers = Counter((row["call"], row["answer"]) for row in rows_of(racks))
    for call in ("quote", "admit"):
        assert min(answers[call, how] for how in ("admitted", "refused", "no-room")) >= 3
    plan = plan_of(racks)
    exchanged = missed = 0
    for row, free in calls(racks, "quote"):
        first, epochs, width = (int(row[name]) for name in ("first_epoch", "epochs", "width"))
        if row["answer"] == "no-room":
            continue
        exchanged += told(cheapest_places(plan, free, first, epochs, width)) != row["places"]
        last = min(first + epochs, len(plan.epochs))
        job = RigidJob(first, epochs, width, int(row["green_ppm"]))
        missed += min(job.green_slots, (last - first) * width) > int(row["green_slots"])
    assert exchanged >= 20
    assert missed >= 20


def test_every_plan_has_calls_and_amounts_reach_far() -> None:
    every = [read_policy(path) for path in VECTORS.glob("*.json")]
    assert {path.stem for path in PLANS} == {policy.name for policy in every if policy.plan}
    extremes = rows_of(VECTORS / "plans" / "plan-extremes.csv")
    assert max(int(row["worth_udollars"] or 0) for row in extremes) > 2**42
    assert min(int(row["pays_udollars"] or 0) for row in extremes) >= 0
