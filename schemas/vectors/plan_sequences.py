"""Sequences of calls that plans are asked with, each answered by a plain program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

from plain_plans import (
    begin,
    cheapest_places,
    cheapest_width,
    epoch_at,
    give,
    quote,
    release,
    source,
    stored,
)

PLAN_COLUMNS = (
    *("sequence", "call", "job", "unix_s", "pool", "first_epoch", "epochs", "width"),
    *("green_ppm", "widths", "answer", "pays_udollars", "worth_udollars", "green_slots", "places"),
)
PPM = 1_000_000
Numbers = dict[str, Any]


class Call(NamedTuple):
    """A question or a change; what does not apply is empty."""

    call: str
    job: str = ""
    unix_s: int | str = ""
    pool: int | str = ""
    first_epoch: int | str = ""
    epochs: int | str = ""
    width: int | str = ""
    green_ppm: int | str = ""
    widths: tuple[tuple[int, int], ...] = ()


class PlanSequence(NamedTuple):
    """A name, a sentence, and calls from the beginning on."""

    name: str
    sentence: str
    calls: list[Call]


def plan_sequences(name: str, plan: Numbers) -> list[PlanSequence]:
    """The sequences for the policy called `name`."""
    moments = PlanSequence(
        "moments", "Epochs, buses and allocations at edges of epochs.", _moments(plan)
    )
    return [moments, *_OWN[name](plan)]


def rows_of_plan(plan: Numbers, sequence: PlanSequence) -> list[list[Any]]:
    """A line for each call with its answer."""
    state = begin(plan)
    rows = []
    for call in sequence.calls:
        widths = " ".join(f"{width}:{epochs}" for width, epochs in call.widths)
        rows.append([sequence.name, *call[:-1], widths, *_ANSWERS[call.call](plan, state, call)])
    return rows


def _told(answer: Any, amounts: Sequence[Any] = ("", "", ""), places: str = "") -> list[Any]:
    return ["" if answer is None else answer, *amounts, places]


def _epoch(plan: Numbers, _state: Numbers, call: Call) -> list[Any]:
    return _told(epoch_at(plan, int(call.unix_s)))


def _source(plan: Numbers, _state: Numbers, call: Call) -> list[Any]:
    epoch = epoch_at(plan, int(call.unix_s))
    return _told(None if epoch is None else source(plan, int(call.pool), epoch))


def _stored(plan: Numbers, _state: Numbers, call: Call) -> list[Any]:
    told = stored(plan, epoch_at(plan, int(call.unix_s)))
    return _told(None if told is None else ":".join(map(str, told)))


def _allocation(plan: Numbers, state: Numbers, call: Call) -> list[Any]:
    epoch = epoch_at(plan, int(call.unix_s))
    if epoch is None or call.job not in state["places"]:
        return _told(None)
    held = sorted((at[0], n) for at, n in state["places"][call.job].items() if at[1] == epoch)
    return _told("told", places=" ".join(f"{pool}:{servers}" for pool, servers in held))


def _quote(plan: Numbers, state: Numbers, call: Call) -> list[Any]:
    job = int(call.first_epoch), int(call.epochs), int(call.width), int(call.green_ppm)
    told = quote(plan, state, *job)
    if told is None:
        return _told("no-room", (0, 0, 0))
    answer = "admitted" if told["pays"] > told["worth"] else "refused"
    if call.call == "admit" and answer == "admitted":
        give(state, call.job, told["places"])
    return _told(answer, (told["pays"], told["worth"], told["green"]), _spans(told["places"]))


def _width(plan: Numbers, state: Numbers, call: Call) -> list[Any]:
    return _told(cheapest_width(plan, state, int(call.first_epoch), list(call.widths)))


def _take(plan: Numbers, state: Numbers, call: Call) -> list[Any]:
    job = int(call.first_epoch), int(call.epochs), int(call.width)
    places = cheapest_places(plan, state, *job)
    if places is None:
        return _told("no-room")
    give(state, call.job, places)
    return _told("taken", places=_spans(places))


def _release(_plan: Numbers, state: Numbers, call: Call) -> list[Any]:
    release(state, call.job, int(call.first_epoch))
    return _told("released")


def _about(plan: Numbers, _state: Numbers, _call: Call) -> list[Any]:
    return _told(f"{plan.get('grid_mw', '')}:{plan.get('later_jobs', '')}")


_ANSWERS: dict[str, Callable[[Numbers, Numbers, Call], list[Any]]] = {
    "epoch": _epoch,
    "source": _source,
    "stored": _stored,
    "allocation": _allocation,
    "quote": _quote,
    "admit": _quote,
    "width": _width,
    "take": _take,
    "release": _release,
    "about": _about,
}


def _spans(places: Numbers) -> str:
    """`first epoch:pool:epochs:servers`, as few as say the same."""
    spans = []
    for pool, epoch in sorted(places):
        servers = places[pool, epoch]
        if places.get((pool, epoch - 1)) == servers:
            continue
        end = epoch
        while places.get((pool, end)) == servers:
            end += 1
        spans.append((epoch, pool, end - epoch, servers))
    return " ".join(":".join(map(str, span)) for span in sorted(spans))


def _moments(plan: Numbers) -> list[Call]:
    start, each, count = plan["start_unix_s"], plan["epoch_s"], len(plan["epochs"])
    edges = [start + number * each for number in sorted({0, 1, count // 2, count - 1, count})]
    moments = sorted({edge + step for edge in edges for step in (-1, 0, 1)})
    calls = [Call("epoch", unix_s=moment) for moment in moments]
    for pool in range(len(plan["pools"])):
        calls += [Call("source", unix_s=moment, pool=pool) for moment in edges]
    shown = min(count, 40)
    for job in plan["jobs"]:
        calls += [
            Call("allocation", job["name"], start + number * each) for number in range(shown + 1)
        ]
        calls.append(Call("allocation", job["name"], start + (count - 1) * each))
    calls.append(Call("allocation", "nobody", start))
    return calls


def _racks(plan: Numbers) -> list[PlanSequence]:
    shares = (0, 1, 250_000, 333_333, 500_000, 999_999, PPM)
    rng = Random(21)
    quotes = [
        _asked(rng.randrange(17), rng.randint(1, 20), rng.randint(1, 24), rng.choice(shares))
        for _ in range(160)
    ]
    edges = [_asked(0, 16, width, PPM) for width in (1, 13, 14, 15, 60)]
    beyond = [_asked(15, 1, 1, 0), _asked(15, 40, 3, PPM), _asked(16, 1, 1, 0)]
    draws = [
        _asked(rng.randrange(15), rng.randint(1, 9), rng.randint(1, 12), rng.choice(shares), at)
        for at in range(60)
    ]
    early = [
        _asked(2, 8, 9, 500_000, "first"),
        _asked(2, 8, 9, 500_000, "second"),
        Call("release", "first", first_epoch=5),
        _asked(2, 8, 9, 500_000, "third"),
        Call("allocation", "first", plan["start_unix_s"] + 4 * plan["epoch_s"]),
        Call("allocation", "first", plan["start_unix_s"] + 5 * plan["epoch_s"]),
        Call("release", "Zürich", first_epoch=0),
        _asked(4, 12, 20, 0, "Zürich"),
        Call("release", "second", first_epoch=16),
        Call("allocation", "second", plan["start_unix_s"] + 9 * plan["epoch_s"]),
    ]
    return [
        PlanSequence("quotes", "Jobs on what the plan leaves free; nobody is admitted.",
                     [*quotes, *edges, *beyond]),
        PlanSequence("filling", "Admissions one after the other: the earlier ones take room.",
                     draws),
        PlanSequence("early", "Jobs that end early give their servers back.", early),
    ]  # fmt: skip


def _asked(first: int, epochs: int, width: int, green_ppm: int, job: int | str = "") -> Call:
    """A quote, or where the job has a name its admission."""
    name = f"job-{job}" if isinstance(job, int) else job
    numbers = {"first_epoch": first, "epochs": epochs, "width": width, "green_ppm": green_ppm}
    return Call("admit" if name else "quote", name, **numbers)


def _cluster(_plan: Numbers) -> list[PlanSequence]:
    rng = Random(22)
    calls = []
    for number in range(40):
        first, work = rng.randrange(12), rng.randint(1, 10)
        widths = tuple((width, -(-work // width)) for width in (1, 2, 4, 8))
        calls.append(Call("width", first_epoch=first, widths=widths))
        if number % 3 == 0:
            width, epochs = rng.choice(widths)
            calls.append(_taken(f"job-{number}", first, epochs, width))
        elif number % 5 == 0:
            # Nobody else is sure to have been given places.
            calls.append(Call("release", "grows", first_epoch=max(4, 12 - number // 5)))
    return [PlanSequence("widths", "Widths of jobs that grow and shrink; some take room.", calls)]


def _taken(name: str, first: int, epochs: int, width: int) -> Call:
    return Call("take", name, first_epoch=first, epochs=epochs, width=width)


def _smallest(_plan: Numbers) -> list[PlanSequence]:
    calls = [_asked(0, 1, 1, 0), _asked(0, 2**20, 1, PPM), _asked(0, 1, 2, 0), _asked(1, 1, 1, 0)]
    return [PlanSequence("quotes", "A job that pays nothing is not admitted.", calls)]


def _extremes(_plan: Numbers) -> list[PlanSequence]:
    calls = [
        _asked(0, 31, 1_000, PPM),
        _asked(0, 31, 1_000, 0),
        _asked(1, 1, 1, PPM),
        _asked(0, 2**20, 1_000, 999_999),
    ]
    return [PlanSequence("quotes", "The largest amounts: within 53 bits.", calls)]


def _slow(_plan: Numbers) -> list[PlanSequence]:
    last = 47
    calls = [
        Call("width", first_epoch=last, widths=((1, 2**20), (2, 2**19))),
        Call("width", first_epoch=last - 3, widths=((2, 2), (3, 3), (4, 4))),
        _taken("all", last - 5, 5, 4),
        Call("width", first_epoch=last - 3, widths=((1, 3), (2, 4))),
        Call("width", first_epoch=last, widths=((1, 1), (2, 1))),
    ]
    return [
        PlanSequence("widths", "Jobs of up to 2^20 epochs, each of which costs the most.", calls)
    ]


def _battery(plan: Numbers) -> list[PlanSequence]:
    edges = [
        plan["start_unix_s"] + number * plan["epoch_s"] for number in range(len(plan["epochs"]) + 1)
    ]
    moments = sorted({edge + step for edge in edges for step in (-1, 0)})
    calls = [Call("stored", unix_s=moment) for moment in moments]
    return [PlanSequence("stored", "What the battery does and holds, epoch by epoch.", calls)]


def _grid(plan: Numbers) -> list[PlanSequence]:
    sentence = "The power that is bought at negative prices, and the rule for later jobs."
    return [PlanSequence("about", sentence, [Call("about")]), *_cluster(plan)]


_OWN: dict[str, Callable[[Numbers], list[PlanSequence]]] = {
    "plan": _racks,
    "plan-cluster": _cluster,
    "plan-grid": _grid,
    "plan-smallest": _smallest,
    "plan-extremes": _extremes,
    "plan-slow": _slow,
    "plan-battery": _battery,
    "plan-battery-racks": _battery,
    "plan-battery-extremes": _battery,
}
