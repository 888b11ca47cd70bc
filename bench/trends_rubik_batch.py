"""The published figures of Rubik with batch work beside requests, and ours.

    python -m bench.trends_rubik_batch

Five services with all of twenty mixes, of six of twelve kinds of batch work each: 100 chips, each
replayed under its limit of power. The bound of a service is the p95 that it has alone at the
nominal clock at that load. docs/published-results.md says why ours differ.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
from tailc_solvers.colocation.core import best_pair

from bench.rubik_batch import KHZ, NOMINAL, Draw, Shared, Work
from bench.rubik_chips import MIXES, PUBLISHED_CHIP, REFILL_US, Chips, Mix, Setting, mixes
from bench.rubik_workloads import NAMES
from bench.timing import show
from tailc.models.core_queues.chip import LimitStep

LOW, HIGH = 0.2, 0.6
PERCENT = 100
# At which six cores run below the nominal clock.
TIGHT_W = 40.0
# What a request that stops batch work waits for caches; the last is one line after another.
REFILLS_US = (0.0, REFILL_US, 4 * REFILL_US, 200.0)
# How many mixes that is tried with.
FEW = 4
# Parts of servers with requests and of servers with batch work.
RATIOS = ((100, 0), (80, 20), (60, 40), (50, 50), (40, 60), (20, 80))
RUBIK = ("RubikSC", "RubikDC")
SCHEMES = ("fixed", "RubikSC", "RubikDC")
PUBLISHED = {
    (LOW, LOW): ("28", "31", "40"),
    (HIGH, HIGH): ("17", "15", "19"),
    (LOW, HIGH): ("", "", "44"),
}
TAILS = {
    "fixed": ("1", "1.42"),
    "RubikSC": ("1", "1"),
    "RubikDC": ("1", "1"),
    "HW-T": ("up to 2", "up to 8.2"),
    "HW-TPW": ("up to 2", "up to 3.2"),
}
Row = list[str]
Case = tuple[Chips, Mix]


def main() -> None:
    show(["50:50", "", "published, power saved, %", "power", "servers"], halves())
    show(["high load, 50:50", "", "power saved", "servers saved"], cases())
    heads = (f"{name}, {of}" for of in ("power", "servers") for name in RUBIK)
    show(["low load, requests : batch", *heads], ratios())
    show(["batch work per joule of the chip", "low load", "high load"], per_joule())
    show(["most batch work per joule of the chip, GHz", "requests", "batch work"], pairs())
    heads = ("published", "low load", "published", "high load")
    show(["p95 over its bound, most of 100 (how many above 1)", *heads], tails())
    show(
        ["p95 over its bound, high load, 20 pairs; caches filled in", "fixed", "RubikSC"], refills()
    )
    show(["of the time", "", "published, high load", "low load", "high load"], throttling())


@functools.cache
def chips(name: str, load: float, bound_load: float) -> Chips:
    return Chips(Shared(name, load, bound_load))


def _all(load: float, bound_load: float) -> Iterator[Case]:
    """The 100 pairs."""
    for name, mix in itertools.product(NAMES, mixes()):
        yield chips(name, load, bound_load), mix


def _with_each(load: float, bound_load: float) -> Iterator[tuple[Shared, Work]]:
    """The cores of the 100 pairs."""
    for one, mix in _all(load, bound_load):
        for batch in mix:
            yield one.shared, batch


def _relative(draws: Sequence[Draw], cores: Sequence[tuple[Shared, Work]], demand: float):
    """Power and servers over those with requests and batch work apart."""
    dedicated = [draw.dedicated for draw in draws]
    alone = [batch.own_w for _, batch in cores]
    power = sum(draw.power_w for draw in draws) + float(np.dot(dedicated, alone))
    apart = sum(one.segregated_w for one, _ in cores) + demand * sum(alone)
    return power / apart, (1 + sum(dedicated) / len(cores)) / (1 + demand)


def _replayed(scheme: str, pairs: Sequence[Case]) -> tuple[float, float]:
    """Of the chips, at 50:50."""
    draws = [draw for one, mix in pairs for draw in one.draws(scheme, mix, 1.0)]
    return _relative(draws, [(one.shared, batch) for one, mix in pairs for batch in mix], 1.0)


def halves() -> Iterator[Row]:
    for loads, published in PUBLISHED.items():
        title = f"load of {loads[0]:.0%}, bound of {loads[1]:.0%}"
        for scheme, value in zip(SCHEMES, published, strict=True):
            power, servers = _replayed(scheme, list(_all(*loads)))
            yield [title, scheme, value, _less(power), _less(servers)]
    with_requests = sum(one.segregated_w for one, _ in _with_each(LOW, LOW))
    for_batch = sum(batch.own_w for _, batch in _with_each(LOW, LOW))
    share = with_requests / (with_requests + for_batch)
    yield ["servers with requests, % of the power apart", "", "47", f"{PERCENT * share:.1f}", ""]


def cases() -> Iterator[Row]:
    """The services that wait for memory least and most."""
    for name, scheme in itertools.product(("xapian", "specjbb"), RUBIK):
        power, servers = _replayed(scheme, [(chips(name, HIGH, HIGH), mix) for mix in mixes()])
        yield [name, scheme, _less(power), _less(servers)]


def ratios() -> Iterator[Row]:
    """From replays of single cores, before the limit, which low load hardly meets."""
    cores = list(_with_each(LOW, LOW))
    for requests, batch in RATIOS:
        demand = batch / requests
        found = [
            _relative([way(one, work, demand) for one, work in cores], cores, demand)
            for way in (Shared.rubik_sc, Shared.rubik_dc)
        ]
        power, servers = zip(*found, strict=True)
        yield [f"{requests}:{batch}", *(f"{PERCENT * each:.0f} %" for each in (*power, *servers))]


def per_joule() -> Iterator[Row]:
    """With batch work whenever there is time."""
    cells = []
    for load in (LOW, HIGH):
        gains = [
            one.work_per_joule("RubikSC", mix) / one.work_per_joule("fixed", mix)
            for one, mix in _all(load, load)
        ]
        mean = _more(float(np.mean(gains)))
        cells.append(f"{mean} ({_more(min(gains))} to {_more(max(gains))})")
    yield ["RubikSC against fixed", *cells]


def pairs() -> Iterator[Row]:
    """Means over all cores, and of a service that waits for memory, also where forced up."""
    for load in (LOW, HIGH):
        found = np.array([one.sc_pair(batch) for one, batch in _with_each(load, load)])
        yield [f"all, load of {load:.0%}", *_ghz(found.mean(axis=0).tolist())]
    specjbb = [(one, batch) for one, batch in _with_each(LOW, LOW) if one.name == "specjbb"]
    found = np.array([one.sc_pair(batch) for one, batch in specjbb])
    yield ["specjbb, load of 20%", *_ghz(found.mean(axis=0).tolist())]
    forced = [best_pair(one.core(batch), NOMINAL).batch or 0 for one, batch in specjbb]
    yield ["the same, requests at 2.4 GHz at least", "", *_ghz([float(np.mean(forced))])]


def _ghz(level: Sequence[float]) -> list[str]:
    return [f"{KHZ[0] / 1e6 + each * (KHZ[1] - KHZ[0]) / 1e6:.2f}" for each in level]


def tails() -> Iterator[Row]:
    for scheme, (low, high) in TAILS.items():
        yield [scheme, low, _tails(scheme, LOW), high, _tails(scheme, HIGH)]
    tight = _tails("HW-T", HIGH, Setting(limit_w=TIGHT_W))
    yield [f"HW-T, limit of {TIGHT_W:.0f} W", "", "", "", tight]


def refills() -> Iterator[Row]:
    """How long a request that stops batch work waits until the core is its own."""
    for refill_us in REFILLS_US:
        setting = Setting(refill_us=refill_us)
        cells = (_tails(scheme, HIGH, setting, FEW) for scheme in ("fixed", "RubikSC"))
        yield [f"{refill_us:.0f} us", *cells]


def _tails(
    scheme: str, load: float, setting: Setting = PUBLISHED_CHIP, of_mixes: int = MIXES
) -> str:
    pairs = itertools.product(NAMES, mixes()[:of_mixes])
    found = [chips(name, load, load).tail(scheme, mix, setting) for name, mix in pairs]
    ended = [each.mean for each in found if math.isfinite(each.mean)]
    over = sum(not each.mean - each.half <= 1 for each in found)
    more = f", {len(found) - len(ended)} without end" if len(ended) < len(found) else ""
    return f"{max(ended):.2f}{more} ({over})"


def throttling() -> Iterator[Row]:
    for title, published, kind in (
        ("batch work slowed", "2.2 %", LimitStep.BATCH_SLOWED),
        ("batch work stopped", "0.05 %", LimitStep.BATCH_STOPPED),
        ("requests slowed", "below 0.01 %", LimitStep.REQUESTS_SLOWED),
    ):
        for scheme in RUBIK:
            shares = [
                np.mean([one.limited(scheme, mix)[kind] for one, mix in _all(load, load)])
                for load in (LOW, HIGH)
            ]
            yield [title, scheme, published, *(f"{PERCENT * share:.2f} %" for share in shares)]


def _less(ratio: float) -> str:
    return f"{PERCENT * (1 - ratio):.1f} %"


def _more(ratio: float) -> str:
    return f"{PERCENT * (ratio - 1):+.0f} %"


if __name__ == "__main__":
    main()
