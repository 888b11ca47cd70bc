"""What a plan answers, worked out one server at a time from its JSON, as the page says it."""

from __future__ import annotations

from typing import Any

MILLION = 1_000_000

Numbers = dict[str, Any]
Pair = tuple[int, int, int, int]


def begin(plan: Numbers) -> Numbers:
    """The free servers by (pool, epoch), and the places of every job by name."""
    epochs = range(len(plan["epochs"]))
    free = {
        (number, epoch): pool["servers"]
        for number, pool in enumerate(plan["pools"])
        for epoch in epochs
    }
    state: Numbers = {"free": free, "places": {}}
    for job in plan["jobs"]:
        held = {
            (span["pool"], epoch): span["servers"]
            for span in job["spans"]
            for epoch in range(span["first_epoch"], span["first_epoch"] + span["epochs"])
        }
        give(state, job["name"], held)
    return state


def give(state: Numbers, name: str, places: Numbers) -> None:
    """The job has its places."""
    for at, servers in places.items():
        state["free"][at] -= servers
    state["places"][name] = dict(places)


def release(state: Numbers, name: str, epoch: int) -> None:
    """The places of a job from an epoch on are free."""
    held = state["places"][name]
    for at in [at for at in held if at[1] >= epoch]:
        state["free"][at] += held.pop(at)
    if not held:
        del state["places"][name]


def epoch_at(plan: Numbers, unix_s: int) -> int | None:
    """The epoch of a moment."""
    for number in range(len(plan["epochs"])):
        begins = plan["start_unix_s"] + number * plan["epoch_s"]
        if begins <= unix_s < begins + plan["epoch_s"]:
            return number
    return None


def source(plan: Numbers, pool: int, epoch: int) -> str:
    """Which bus a pool hangs on."""
    if "first_green_pool" not in plan["epochs"][epoch]:
        return "mixed"
    return "green" if pool in green_pools(plan, epoch) else "brown"


def stored(plan: Numbers, epoch: int | None) -> tuple[int, int] | None:
    """What goes into the battery in an epoch, and what it holds at its end."""
    if epoch is None or "battery" not in plan:
        return None
    battery = plan["battery"]
    held = battery["first_mj"]
    flows = [one["battery_mj"] for one in plan["epochs"][: epoch + 1]]
    for flow in flows:
        held += flow * battery["kept_ppm"] // MILLION if flow > 0 else flow
    return flows[-1], held


def green_pools(plan: Numbers, epoch: int) -> list[int]:
    """The pools on the green bus."""
    count = len(plan["pools"])
    return list(range(plan["epochs"][epoch].get("first_green_pool", count), count))


def cheapest_places(
    plan: Numbers, state: Numbers, first: int, epochs: int, width: int
) -> Numbers | None:
    """The cheapest server, then the next, in each epoch; None: there are too few."""
    within = [epoch for epoch in range(len(plan["epochs"])) if first <= epoch < first + epochs]
    if not within:
        return None
    places: Numbers = {}
    for epoch in within:
        for _ in range(width):
            pools = [
                pool
                for pool in range(len(plan["pools"]))
                if places.get((pool, epoch), 0) < state["free"][pool, epoch]
            ]
            if not pools:
                return None
            best = min(pools, key=lambda pool: (price(plan, pool, epoch), pool))
            places[best, epoch] = places.get((best, epoch), 0) + 1
    return places


def price(plan: Numbers, pool: int, epoch: int) -> int:
    """Of a server in an epoch."""
    return plan["prices"][pool]["udollars"][epoch]


def worth(plan: Numbers, places: Numbers) -> int:
    """What places cost."""
    return sum(price(plan, *at) * servers for at, servers in places.items())


def quote(
    plan: Numbers, state: Numbers, first: int, epochs: int, width: int, green_ppm: int
) -> Numbers | None:
    """The places of a rigid job, what it pays, what they are worth, and the green ones."""
    places = cheapest_places(plan, state, first, epochs, width)
    if places is None:
        return None
    slots = sum(places.values())
    promised = min((green_ppm * epochs * width + MILLION - 1) // MILLION, slots)
    _exchange(plan, state, places, promised)
    green = _green(plan, places)
    terms = plan["terms"]
    pays = promised * terms["green_udollars"] + (slots - promised) * terms["brown_udollars"]
    if green < promised:
        pays -= (promised - green) * terms["penalty_udollars"]
    return {
        "pays": pays,
        "worth": worth(plan, places),
        "green": green,
        "places": {at: servers for at, servers in places.items() if servers},
    }


def _exchange(plan: Numbers, state: Numbers, places: Numbers, promised: int) -> None:
    """Pair by pair, the cheapest first."""
    pairs = [
        pair for epoch in sorted({at[1] for at in places}) for pair in _pairs(plan, state, places,
                                                                              epoch)
    ]  # fmt: skip
    for costs, epoch, brown, ready in sorted(pairs):
        if _green(plan, places) >= promised or costs >= plan["terms"]["penalty_udollars"]:
            return
        places[brown, epoch] -= 1
        places[ready, epoch] = places.get((ready, epoch), 0) + 1


def _pairs(plan: Numbers, state: Numbers, places: Numbers, epoch: int) -> list[Pair]:
    """The dearest brown place with the cheapest free green server, the next with the next."""
    green = green_pools(plan, epoch)
    held = [
        pool
        for pool in range(len(plan["pools"]))
        if pool not in green
        for _ in range(places.get((pool, epoch), 0))
    ]
    ready = [
        pool
        for pool in green
        for _ in range(min(state["free"][pool, epoch] - places.get((pool, epoch), 0), len(held)))
    ]
    held.sort(key=lambda pool: (-price(plan, pool, epoch), pool))
    ready.sort(key=lambda pool: (price(plan, pool, epoch), pool))
    return [
        (price(plan, to, epoch) - price(plan, brown, epoch), epoch, brown, to)
        for brown, to in zip(held, ready, strict=False)
    ]


def _green(plan: Numbers, places: Numbers) -> int:
    return sum(servers for (pool, epoch), servers in places.items()
               if pool in green_pools(plan, epoch))  # fmt: skip


def cheapest_width(
    plan: Numbers, state: Numbers, first: int, widths: list[tuple[int, int]]
) -> int | None:
    """Of (width, epochs), the width that costs least; None: none has room."""
    costs = []
    for width, epochs in widths:
        places = cheapest_places(plan, state, first, epochs, width)
        if places is not None:
            delay = epochs * plan["malleable"]["delay_udollars"]
            costs.append((worth(plan, places) + delay, width))
    return min(costs)[1] if costs else None
