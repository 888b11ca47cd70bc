"""What Haque (dissertation, 2016, chapter 5) and Haque et al. (MICRO 2017, section 6) say in
numbers or in words, beside our replay of a fitted workload. Nothing is read off a figure.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

from bench.core_study import KNOWN, OWN, CoreStudy, Measure
from bench.core_workloads import spec_of, study
from bench.study import Figure
from bench.timing import seconds
from bench.trends_cores_load import ENERGY, P99
from tailc.studies.core_configuration import ages_at_low_load, read_configurations

Row = list[str]
HEADS = ("published", "ours", "note")
LOW_RATES = (10, 20, 30, 40, 50, 60)
# Two fast cores draw as much as so many slow ones (MICRO 2017, table 4).
FAST_POWER = 6.8
# Twice as fast, three times the energy.
THRICE = 6.0

amp = functools.cache(lambda: study("micro-13s-2f"))
eight = functools.cache(lambda: study("dissertation-8s-1f"))


def times(figure: Figure) -> str:
    return figure.text(2)


def percent_less(figure: Figure) -> str:
    """A ratio as a change."""
    return f"{100 * (figure.mean - 1):+.0f} ± {100 * figure.half:.0f} %"


def dissertation() -> Iterator[Row]:
    """8 slow cores and 1 fast, 200 ms."""
    one = eight()
    for rate, published in ((10, "-46 %"), (50, "-40 %")):
        yield [f"p99 of TL against EE, {rate}/s", published, less(one, P99, "tl", "ee", rate), "a"]
    least = min(one.figure(P99, name, r).mean for name in ("ee", "oblivious") for r in LOW_RATES)
    yield ["least p99 of EE and Oblivious, 10 to 60/s", "291 ms", f"{least:.0f} ms", "a"]
    for rate, published in ((10, "2.8"), (60, "1.9")):
        row = times(one.ratio(ENERGY, "tl", "ee", rate))
        yield [f"energy of TL over EE, {rate}/s", published, row, "b"]
    for name, note in ((OWN, "b c"), (KNOWN, "c")):
        row = times(one.ratio(ENERGY, "tl", name, 10))
        yield [f"energy of TL over {_policy_title(name)}, 10/s", "2.1", row, note]
    for name, note in ((OWN, "b c"), (KNOWN, "c")):
        row = times(one.ratio(ENERGY, name, "ee", 10))
        yield [f"energy of {_policy_title(name)} over EE, 10/s", "1.33 (derived)", row, note]
    for rate in (50, 60):
        row = times(one.ratio(ENERGY, OWN, "tl", rate))
        yield [f"energy of EETL over TL, {rate}/s", "1", row, "d"]
    for name in (OWN, KNOWN):
        cells = [one.ratio(ENERGY, name, "rc", rate).mean for rate in (10, 20, 30, 40, 50)]
        said = f"{min(cells):.2f} to {max(cells):.2f}"
        yield [f"energy of {_policy_title(name)} over RC, 10 to 50/s", "up to 1.2", said, "c e"]
    for target, published in ((225, 76), (200, 56), (175, 40)):
        found = study("dissertation-8s-1f", target_ms=target, control="off").capacity()
        yield [f"highest rate at {target} ms", f"{published}/s", f"{found}/s", "d"]
    yield from thrice("dissertation-8s-1f", ("2.8", "1.33", "2.1"))
    what = "time to solve for thresholds, 8,000 requests, 5 speeds"
    yield [what, "1 to 2 s", solving(), ""]
    yield ["energy of a fast over a slow core's, same work", "almost 3", "4 (by its table)", "b"]
    for power, said in ((4, "2 times"), (8, "4 times"), (16, "8 times")):
        other = study("dissertation-8s-1f", control="off", fast_power=power)
        found = max(other.ratio(ENERGY, "tl", KNOWN, rate).mean for rate in (10, 30, 50))
        published = {4: "up to 1.6", 8: "2.1", 16: "more"}[power]
        what = f"energy of TL over EETL, share known, slow cores {said} as efficient"
        yield [what, published, f"{found:.2f}", "b"]


def thrice(server: str, published: tuple[str, str, str]) -> Iterator[Row]:
    """The energies that were published, if a fast core draws three times the energy for its work.

    Both papers measure "almost" or "about" that; their tables have four and 3.4.
    """
    one = study(server, control="off", fast_power=THRICE)
    pairs = (("tl", "ee"), (KNOWN, "ee"), ("tl", KNOWN))
    for (name, other), said in zip(pairs, published, strict=True):
        row = times(one.ratio(ENERGY, name, other, 10))
        pair = f"{_policy_title(name)} over {_policy_title(other)}"
        what = f"energy of {pair}, 10/s, fast cores 3 times as hungry"
        yield [what, said, row, "b"]


def solving() -> str:
    """How long the thresholds of 8,000 requests at five speeds take, the fastest of three."""
    (one,) = read_configurations([str(spec_of("micro-7-dvfs"))])
    taken = min(seconds(lambda: ages_at_low_load(one, 200_000)) for _ in range(3))
    return f"{1000 * taken:.0f} ms"


def _policy_title(name: str) -> str:
    return {OWN: "EETL", KNOWN: "EETL, share known"}.get(name, name.upper())


def less(one: CoreStudy, of: Measure, name: str, other: str, rate: int) -> str:
    return percent_less(one.ratio(of, name, other, rate))


def three_types() -> Iterator[Row]:
    """The dissertation's servers with three types of core."""
    two = eight()
    for server, title in (
        ("dissertation-5s-1m-1f", "5S+1M+1F"),
        ("dissertation-4s-1m-1f", "4S+1M++1F"),
        ("dissertation-3s-1m-1f", "3S+1M+++1F"),
    ):
        one = study(server)
        rates = (10, 20, 30)
        for name in (OWN, KNOWN):
            ratios = [one.ratio(ENERGY, name, "exhaustive-5ms", rate).mean for rate in rates]
            said = ", ".join(f"{ratio:.2f}" for ratio in ratios)
            what = f"{title}: energy of {_policy_title(name)} over Exhaustive, 10, 20, 30/s"
            yield [what, "below 1.08", said, "c f"]
        reactive = [one.ratio(ENERGY, "reactive", "exhaustive-5ms", rate).mean for rate in rates]
        said = ", ".join(f"{ratio:.2f}" for ratio in reactive)
        yield [f"{title}: energy of Reactive over Exhaustive, 10, 20, 30/s", "a lot", said, "f"]
        row = times(one.against(ENERGY, KNOWN, 10, two, KNOWN))
        yield [f"{title}: energy of EETL over 8S+1F, shares known, 10/s", "below 1", row, ""]
        for name, other in (("ee", "rc"), ("rc", OWN), (OWN, "tl")):
            row = times(one.ratio(ENERGY, name, other, 20))
            yield [f"{title}: energy of {name.upper()} over {other.upper()}, 20/s", "<= 1", row, ""]


def micro() -> Iterator[Row]:
    """13 slow cores and 2 fast, 200 ms."""
    one = amp()
    for rate, published in ((10, "2.45"), (66, "1.5"), (100, "1")):
        for name in (OWN, KNOWN):
            row = times(one.ratio(ENERGY, "tl", name, rate))
            yield [f"energy of TL over {_policy_title(name)}, {rate}/s", published, row, "b c d"]
    for name in (OWN, KNOWN):
        row = times(one.ratio(ENERGY, name, "ee", 10))
        yield [f"energy of {_policy_title(name)} over EE, 10/s", "1.2", row, "b c"]
        row = times(one.ratio(ENERGY, "rc", name, 10))
        yield [f"energy of RC over {_policy_title(name)}, 10/s", "0.9", row, "c e"]
    yield from thrice("micro-13s-2f", ("2.94 (derived)", "1.2", "2.45"))
    for name, said in (("s2f", "S2F"), ("s2f-50%", "S2F, half the thresholds")):
        cells = [f"{one.figure(P99, name, rate).mean:.0f}" for rate in (10, 20, 50, 80)]
        published = "200 ms up to 20/s" if name == "s2f" else "200 ms at more"
        yield [f"p99 of {said}, 10, 20, 50, 80/s", published, ", ".join(cells) + " ms", "d"]
    ratio = times(one.ratio(ENERGY, "s2f-50%", "s2f", 10))
    yield ["energy of S2F, half the thresholds, over S2F, 10/s", "above 1", ratio, ""]
    for server, title, published in (
        ("micro-13s-2f", "2F-13S", "just under 100/s"),
        ("micro-10s-2f", "2F-10S", "77/s"),
        ("micro-8s-2f", "2F-8S", "66/s"),
        ("micro-7s-2m-2f", "2F-2M-7S", "below 2F-13S"),
        ("micro-4-dvfs", "4 cores with DVFS", "50/s"),
    ):
        found = study(server, control="off").capacity()
        yield [f"highest rate of {title} at 200 ms", published, f"{found}/s", "d"]
    yield ["energy of 2F-10S over 2F-13S, in that of fast cores, 10/s", "1.14", _ten_slow(), "g"]
    yield from _three(one)
    yield from _rest_of_server(one)


def _ten_slow() -> str:
    """Its fast cores draw as much; its slow ones a fifth of that."""
    ten = study("micro-10s-2f", control="off")
    thirteen = study("micro-13s-2f", control="off")
    ratio = ten.against(ENERGY, KNOWN, 10, thirteen, KNOWN)
    return times(Figure(ratio.mean * FAST_POWER / 5, ratio.half * FAST_POWER / 5))


def _three(two: CoreStudy) -> Iterator[Row]:
    three = study("micro-7s-2m-2f")
    for rate, published in ((10, "below 1"), (50, "below 1"), (80, "above 1 at the highest")):
        row = times(three.against(ENERGY, KNOWN, rate, two, KNOWN))
        what = f"energy of EETL, 2F-2M-7S over 2F-13S, shares known, {rate}/s"
        yield [what, published, row, "h"]
    for name, other in (("ee", "rc"), ("rc", OWN), (OWN, "tl")):
        row = times(three.ratio(ENERGY, name, other, 50))
        yield [
            f"2F-2M-7S: energy of {_policy_title(name)} over {_policy_title(other)}, 50/s",
            "<= 1",
            row,
            "",
        ]


def _rest_of_server(one: CoreStudy) -> Iterator[Row]:
    """A share of the server's power at peak is drawn by other parts, at all times."""
    peak_watts = 2 * FAST_POWER + 13
    for share, published in ((0.5, "1.42"), (0.67, "1.24")):
        for basis, rest in (("peak of all cores", peak_watts), ("mean of TL", None)):
            row = _with_rest(one, share, rest)
            what = (
                f"energy of TL over EETL, other parts {share:.0%} of the server's ({basis}), 10/s"
            )
            yield [what, published, row, "i"]


def _with_rest(one: CoreStudy, share: float, peak: float | None) -> str:
    def energy(name: str) -> float:
        return one.figure(ENERGY, name, 10).mean

    # At 10/s a request comes every 100 ms.
    basis = energy("tl") if peak is None else peak * 100
    rest = basis * share / (1 - share)
    return f"{(energy('tl') + rest) / (energy(OWN) + rest):.2f}"


def frequencies() -> Iterator[Row]:
    """Cores that change their frequency one by one, 200 ms."""
    for server, title, rates, published in (
        ("micro-7-dvfs", "7 cores", (10, 70), (("-17 % at most", "-11 %"), ("", "-6 %"))),
        ("micro-4-dvfs", "4 cores", (10, 50), (("-40 % at most", "-22 %"), ("", "-10 %"))),
    ):
        one = study(server, rates=rates if rates[1] == 70 else (10, 25, 50))
        for rate, (pegasus, own) in zip(rates, published, strict=True):
            row = less(one, ENERGY, "pegasus", "tl", rate)
            yield [f"{title}: energy of Pegasus against TL-DVFS, {rate}/s", pegasus, row, "j"]
            for name in (OWN, KNOWN):
                row = less(one, ENERGY, name, "pegasus", rate)
                what = f"{title}: energy of {_policy_title(name)} against Pegasus, {rate}/s"
                yield [what, own, row, "c j"]
        if server == "micro-4-dvfs":
            yield from _against_amp(one)


def _against_amp(dvfs: CoreStudy) -> Iterator[Row]:
    for rate, published in ((10, "1.18"), (50, "2")):
        for name in (OWN, KNOWN):
            row = times(dvfs.against(ENERGY, name, rate, amp(), name))
            what = f"energy of {_policy_title(name)}, 4 cores with DVFS over 2F-13S, {rate}/s"
            yield [what, published, row, "b c j"]
    row = times(amp().against(ENERGY, "tl", 50, dvfs, "tl"))
    yield ["energy of TL, 2F-13S over 4 cores with DVFS, 50/s", "0.5", row, "j"]


def octopus() -> Iterator[Row]:
    """2 slow and 2 fast cores, 300 ms."""
    one = study("micro-2s-2f")
    for rate, published in ((5, ""), (10, ""), (15, ""), (20, "both fast, 3 times"), (30, "")):
        chosen = one.note("octopus", rate)
        ratio = times(one.ratio(ENERGY, "octopus", OWN, rate))
        tails = " and ".join(f"{one.figure(P99, n, rate).mean:.0f}" for n in ("octopus", OWN))
        what = f"cores of Octopus-Man, its energy over EETL's, p99 of both, {rate}/s"
        yield [what, published, f"{chosen}; {ratio}; {tails} ms", "k"]


ROWS: tuple[tuple[str, Callable[[], Iterator[Row]]], ...] = (
    ("8S+1F (dissertation)", dissertation),
    ("three types (dissertation)", three_types),
    ("2F-13S (MICRO 2017)", micro),
    ("per-core DVFS (MICRO 2017)", frequencies),
    ("2F-2S, 300 ms (MICRO 2017)", octopus),
)
