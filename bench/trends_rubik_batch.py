"""The published figures of Rubik with batch work beside requests, and ours.

    python -m bench.trends_rubik_batch

Five services with all of twelve kinds of batch work, which `bench.rubik_batch` has. The bound of a
service is the p95 of its core at the nominal clock at that load. docs/published-results.md says why
ours differ.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from tailc_solvers.colocation.core import best_pair
from tailc_solvers.colocation.limit import BusyCore, Limited, within_limit

from bench.rubik_batch import (
    BATCH,
    BESIDE_W,
    KHZ,
    NOMINAL,
    REQUEST_IPC,
    REQUEST_W,
    Draw,
    Floats,
    Shared,
    Work,
)
from bench.rubik_workloads import CORES, NAMES, SLEEP_W, UNCORE_W
from bench.study import Figure
from bench.timing import show

LOW, HIGH = 0.2, 0.6
PERCENT = 100
TDP_W = 65.0
# At which six cores run below the nominal clock.
TIGHT_W = 40.0
# Of batch work, six to a server, as published.
MIXES, SEED = 20, 2015
# Parts of servers with requests and of servers with batch work.
RATIOS = ((100, 0), (80, 20), (60, 40), (50, 50), (40, 60), (20, 80))
STATES = 2_000
# More batch work than a core has time for.
PLENTY = 100.0
Row = list[str]
Scheme = Callable[[Shared, Work, float], Draw]
SCHEMES: dict[str, Scheme] = {
    "fixed": Shared.fixed,
    "RubikSC": Shared.rubik_sc,
    "RubikSC, by the server's power": Shared.rubik_sc_of_server,
    "RubikDC": Shared.rubik_dc,
}
PUBLISHED = {
    (LOW, LOW): ("28", "31", "", "40"),
    (HIGH, HIGH): ("17", "15", "", "19"),
    (LOW, HIGH): ("", "", "", "44"),
}


def main() -> None:
    show(["50:50", "", "published, power saved, %", "power", "servers"], halves())
    show(["high load, 50:50", "", "power saved", "servers saved"], cases())
    heads = (f"{name}, {of}" for of in _OF for name in _RUBIK)
    show(["low load, requests : batch", *heads], ratios())
    show(["batch work per joule of cores", "low load", "high load"], per_joule())
    show(["most batch work per joule of the chip, GHz", "requests", "batch work"], pairs())
    heads = ("published", "low load", "published", "high load")
    show(["p95 over its bound, most of all", *heads], tails())
    show(["RubikSC, of the time", "published, high load", "low load", "high load"], throttling())


_OF, _RUBIK = ("power", "servers"), ("RubikSC", "RubikDC")


@functools.cache
def shared(name: str, load: float, bound_load: float) -> Shared:
    return Shared(name, load, bound_load)


def _all(load: float, bound_load: float) -> Iterator[tuple[Shared, Work]]:
    for name, batch in itertools.product(NAMES, BATCH):
        yield shared(name, load, bound_load), batch


def _relative(scheme: Scheme, load: float, bound_load: float, demand: float) -> tuple[float, float]:
    """Power and servers over those with requests and batch work apart."""
    return _of(scheme, list(_all(load, bound_load)), demand)


def _of(scheme: Scheme, pairs: Sequence[tuple[Shared, Work]], demand: float) -> tuple[float, float]:
    power, apart, dedicated = 0.0, 0.0, 0.0
    for one, batch in pairs:
        drawn = scheme(one, batch, demand)
        power += drawn.power_w + drawn.dedicated * batch.own_w
        apart += one.segregated_w + demand * batch.own_w
        dedicated += drawn.dedicated
    return power / apart, (1 + dedicated / len(pairs)) / (1 + demand)


def halves() -> Iterator[Row]:
    for (load, bound_load), published in PUBLISHED.items():
        title = f"load of {load:.0%}, bound of {bound_load:.0%}"
        for (name, scheme), value in zip(SCHEMES.items(), published, strict=True):
            power, servers = _relative(scheme, load, bound_load, 1.0)
            yield [title, name, value, _less(power), _less(servers)]
    with_requests = sum(one.segregated_w for one, _ in _all(LOW, LOW))
    for_batch = sum(batch.own_w for _, batch in _all(LOW, LOW))
    share = with_requests / (with_requests + for_batch)
    yield ["servers with requests, % of the power apart", "", "47", f"{PERCENT * share:.1f}", ""]


def cases() -> Iterator[Row]:
    """The services that wait for memory least and most, with all batch work."""
    for name, scheme in itertools.product(("xapian", "specjbb"), _RUBIK):
        pairs = [(one, batch) for one, batch in _all(HIGH, HIGH) if one.name == name]
        power, servers = _of(SCHEMES[scheme], pairs, 1.0)
        yield [name, scheme, _less(power), _less(servers)]


def pairs() -> Iterator[Row]:
    """Means over all batch work, and of a service that waits for memory, also where forced up."""
    for load in (LOW, HIGH):
        found = np.array([one.pair(batch) for one, batch in _all(load, load)])
        yield [f"all, load of {load:.0%}", *_ghz(found.mean(axis=0).tolist())]
    memory_bound = [(one, batch) for one, batch in _all(LOW, LOW) if one.name == "specjbb"]
    found = np.array([one.pair(batch) for one, batch in memory_bound])
    yield ["specjbb, load of 20%", *_ghz(found.mean(axis=0).tolist())]
    forced = [best_pair(one.core(batch), NOMINAL).batch or 0 for one, batch in memory_bound]
    yield ["the same, requests at 2.4 GHz at least", "", *_ghz([float(np.mean(forced))])]


def _ghz(level: Sequence[float]) -> list[str]:
    return [f"{KHZ[0] / 1e6 + each * (KHZ[1] - KHZ[0]) / 1e6:.2f}" for each in level]


def ratios() -> Iterator[Row]:
    for requests, batch in RATIOS:
        found = [_relative(SCHEMES[name], LOW, LOW, batch / requests) for name in _RUBIK]
        power, servers = zip(*found, strict=True)
        yield [f"{requests}:{batch}", *(f"{PERCENT * each:.0f} %" for each in (*power, *servers))]


def per_joule() -> Iterator[Row]:
    """Of RubikSC over that of the fixed clock, with batch work whenever there is time."""
    cells = []
    for load in (LOW, HIGH):
        gains = [_gained(*each) for each in _all(load, load)]
        mean = _more(float(np.mean(gains)))
        cells.append(f"{mean} ({_more(min(gains))} to {_more(max(gains))})")
    yield ["RubikSC against fixed", *cells]


def _gained(one: Shared, batch: Work) -> float:
    ours, fixed = (each(one, batch, PLENTY) for each in (Shared.rubik_sc, Shared.fixed))
    done = (PLENTY - ours.dedicated) / (PLENTY - fixed.dedicated)
    return done / ((ours.power_w - BESIDE_W) / (fixed.power_w - BESIDE_W))


def tails() -> Iterator[Row]:
    fixed = {x: [shared(n, x, x).tail(f"level {NOMINAL}") for n in NAMES] for x in (LOW, HIGH)}
    yield ["fixed", "1", _times(fixed[LOW]), "1.42", _times(fixed[HIGH])]
    least = {
        x: [one.tail(f"least {one.pair(batch)[0]}") for one, batch in _all(x, x)]
        for x in (LOW, HIGH)
    }
    yield ["RubikSC", "1", _times(least[LOW]), "1", _times(least[HIGH])]
    for name, low, high, choose in (
        ("HW-T", "up to 2", "up to 8.2", most_work),
        (f"HW-T, limit of {TIGHT_W:.0f} W", "", "", functools.partial(most_work, limit_w=TIGHT_W)),
        ("HW-TPW", "up to 2", "up to 3.2", most_per_joule),
    ):
        found = {x: list(_blind(x, choose)) for x in (LOW, HIGH)}
        yield [name, low, _times(found[LOW]), high, _times(found[HIGH])]


def _blind(load: float, choose: Callable[[Sequence[Work]], list[int]]) -> Iterator[Figure]:
    """Requests at the constant level that is chosen while as many of six cores run requests as do
    in the mean, the one asked about among them, and a mix of batch work runs on the others."""
    running = 1 + round((CORES - 1) * load)
    for name in NAMES:
        one = shared(name, load, load)
        requests = Work(name, one.memory, REQUEST_W, REQUEST_IPC[name])
        for mix in mixes():
            level = choose([requests] * running + list(mix[running:]))[0]
            keeps_up = load / requests.speed[level] < 1
            yield one.tail(f"level {level}") if keeps_up else Figure(math.inf, 0.0)


def mixes() -> list[tuple[Work, ...]]:
    rng = np.random.default_rng(SEED)
    return [tuple(BATCH[at] for at in rng.integers(len(BATCH), size=CORES)) for _ in range(MIXES)]


def most_work(running: Sequence[Work], limit_w: float = TDP_W) -> list[int]:
    """Levels of most instructions a second within the chip's limit, a step at a time."""
    levels = [0] * len(running)
    while True:
        room = (
            limit_w - UNCORE_W - sum(w.power_w[at] for w, at in zip(running, levels, strict=True))
        )
        gains = [_gain(w, at, room) for w, at in zip(running, levels, strict=True)]
        if max(gains) <= 0:
            return levels
        levels[int(np.argmax(gains))] += 1


def _gain(work: Work, at: int, room_w: float) -> float:
    """Instructions by joule of the next level, 0 where there is none or no room for it."""
    if at + 1 == len(KHZ) or work.power_w[at + 1] - work.power_w[at] > room_w:
        return 0.0
    done: Floats = work.ipc * work.speed
    return float((done[at + 1] - done[at]) / (work.power_w[at + 1] - work.power_w[at]))


def most_per_joule(running: Sequence[Work]) -> list[int]:
    """Levels of most instructions by joule of the chip (Dinkelbach, Management Science 1967)."""
    price, levels = 0.0, [0] * len(running)
    for _ in range(50):
        levels = [int((w.ipc * w.speed - price * w.power_w).argmax()) for w in running]
        pairs = list(zip(running, levels, strict=True))
        power_w = UNCORE_W + sum(w.power_w[at] for w, at in pairs)
        found = sum(w.ipc * w.speed[at] for w, at in pairs) / power_w
        if math.isclose(found, price, rel_tol=1e-12):
            break
        price = found
    return levels


def throttling() -> Iterator[Row]:
    """Cores are independent, so six of them are drawn from the shares of time of one."""
    found = {load: _throttled(load) for load in (LOW, HIGH)}
    for title, published, kinds in (
        ("batch work slowed", "2.2 %", (Limited.BATCH_SLOWED,)),
        ("batch work stopped", "0.05 %", (Limited.BATCH_STOPPED,)),
        ("requests slowed", "below 0.01 %", (Limited.REQUESTS_SLOWED,)),
    ):
        shares = [sum(found[load].get(kind, 0.0) for kind in kinds) for load in (LOW, HIGH)]
        yield [title, published, *(f"{PERCENT * share:.2f} %" for share in shares)]


def _throttled(load: float) -> dict[Limited, float]:
    rng, counts = np.random.default_rng(SEED), dict.fromkeys(Limited, 0)
    for name, mix in itertools.product(NAMES, mixes()):
        one = shared(name, load, load)
        drawn = [_states(one, batch, rng) for batch in mix]
        for cores in zip(*drawn, strict=True):
            limited = within_limit(cores, TDP_W, idle_core_w=SLEEP_W, shared_w=UNCORE_W)
            counts[limited.status] += 1
    states = sum(counts.values())
    return {kind: count / states for kind, count in counts.items()}


def _states(one: Shared, batch: Work, rng: np.random.Generator) -> list[BusyCore]:
    """What a core runs at instants drawn at random."""
    least, level = one.pair(batch)
    runs = one.study.at(f"least {least}", one.load)
    busy = np.mean([run.busy for run in runs])
    at_level = busy * np.mean([run.levels for run in runs], axis=0)
    request_w = tuple(Work("", 0.0, REQUEST_W, 1.0).power_w.tolist())
    states = [BusyCore(False, at, request_w) for at in range(len(KHZ))]
    states.append(BusyCore(True, level, tuple(batch.power_w.tolist()), batch.memory))
    shares = np.append(at_level, 1 - busy)
    return [states[at] for at in rng.choice(len(states), STATES // MIXES, p=shares / shares.sum())]


def _less(ratio: float) -> str:
    return f"{PERCENT * (1 - ratio):.1f} %"


def _more(ratio: float) -> str:
    return f"{PERCENT * (ratio - 1):+.0f} %"


def _times(tails: Sequence[Figure]) -> str:
    ended = [each.mean for each in tails if math.isfinite(each.mean)]
    over = sum(each.mean - each.half > 1 for each in tails)
    more = f", {len(tails) - len(ended)} without end" if len(ended) < len(tails) else ""
    return f"{max(ended):.2f}{more} ({over} of {len(tails)} above 1)"


if __name__ == "__main__":
    main()
