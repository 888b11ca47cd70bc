"""The summary on top of published-results.md: some rows of its tables, and a verdict on each.

Figures are read from the page's own tables, and verdicts are computed from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from published_verdicts import extras, verdict

from tailc.policies import KINDS

HEAD = ("kind", "published in", "figure", "published", "ours", "verdict", "why", "section")


class Place(NamedTuple):
    """A row of a table of the page: its section, the head of its first column, its first cell."""

    section: str
    table: str
    row: str


class Compared(NamedTuple):
    """A figure of a paper next to ours.

    what: its name, where the row's first cell alone is not clear. neutral: the figure of no effect,
    0 for a change and 1 for a ratio; None for amounts, and for figures with a sign. others: columns
    with variants of ours, which get verdicts too. also: words of those extras of ours that the
    paper's figure is for, too; the others have no published figure. why: a remark, and no part of
    the verdict.
    """

    place: Place
    ours: str = "ours"
    published: str = "published"
    what: str = ""
    neutral: Decimal | None = None
    others: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    why: str = ""


CHANGE, RATIO, PERCENT_OF = Decimal(0), Decimal(1), Decimal(100)


def _lucene(row: str, why: str = "") -> Compared:
    return Compared(Place("Lucene", "Lucene", row), others=("cores given back",), why=why)


def _bing(row: str, why: str = "", neutral: Decimal | None = None) -> Compared:
    place = Place("Bing", "Bing", row)
    return Compared(place, neutral=neutral, others=("cores given back",), why=why)


def _cores(table: str, row: str, why: str = "") -> Compared:
    server = table.partition(" (")[0]
    what = row if server in row else f"{server}: {row}"
    neutral = RATIO if row.startswith("energy") and " over " in row else None
    return Compared(Place("Slow-to-fast", table, row), what=what, neutral=neutral, why=why)


def _lanes(row: str, why: str = "") -> Compared:
    return Compared(Place("Elfen", "published", row), published="value", why=why)


def _shares(table: str, row: str, why: str = "", ours: str = "ours") -> Compared:
    return Compared(Place("AutoPro", table, row), ours, what=f"{ABOUT[table]}{row}", why=why)


def _clocks(
    table: str, row: str, why: str = "", neutral: Decimal | None = None, what: str = ""
) -> Compared:
    return Compared(Place("Rubik", table, row), what=what, neutral=neutral, why=why)


def _growing(table: str, row: str, why: str = "") -> Compared:
    what = f"{table.partition(',')[0]}, {row}"
    others = ("HPC2N, 26", "Theta, 26", "Theta, 113")
    return Compared(Place("GreenPar", table, row), "Atlas, 26", what=what, others=others, why=why)


def _promised(row: str, neutral: Decimal | None = None, why: str = "") -> Compared:
    place = Place("Green SLA", "published", row)
    return Compared(place, "Mustang", "value", neutral=neutral, others=("Atlas",), why=why)


AMP, ONE_FAST, DVFS = "2F-13S (MICRO 2017)", "8S+1F (dissertation)", "per-core DVFS (MICRO 2017)"
ALONE, BATCH = "Rubik on requests alone", "Rubik with batch work"
MODEL = "model, one step ahead, random shares"
PAIR = "two machines at x and 80 - x %, and batch work: median, 90th percentile"
CASE = "case study, 95th percentile of 30 runs"
ABOUT = {MODEL: "error of the model, ", PAIR: "error of two at 40 %, ", CASE: ""}
NO_IPC = "the replay has no run-time IPC: `dynamic` charges a fixed interference"
OWN_COUNTERS = "our counters are synthetic, with noise that we chose"

SUMMARY: dict[tuple[str, str], tuple[Compared, ...]] = {
    ("few-to-many", "ASPLOS 2015, section 6"): (
        _lucene("p99 of FM against FIX-2, 40/s", "threads that wait hold their cores"),
        _lucene("mean of FM against FIX-2, 40/s"),
        _lucene("p99 of FM against Adaptive (approximation), 40/s", "its rule is not printed"),
        _lucene("p99 of FM against RC, threshold searched, 43/s", "boosting raises p99 here"),
        _lucene("p99 of FM against FM without boosting, 40/s", "boosting raises p99 here"),
        _lucene("p99 of FIX-4 against FIX-2, 40/s"),
        _lucene("mean degree of the longest 5 %, 30/s"),
        _lucene("mean degree of the shortest 5 %, 47/s", "short requests climb here"),
        Compared(
            Place("The search", "search on 10,000 requests", "each with its own speed-ups"),
            what="search on 10,000 requests, each with its own speed-ups",
        ),
    ),
    ("few-to-many", "ASPLOS 2015, section 7"): (
        _bing("p99 of FM, 260/s, ms"),
        _bing("p99 of FM against Adaptive, 180/s", "Bing is idle here"),
        _bing("servers saved against Adaptive at 120 ms", "Bing is idle here", CHANGE),
    ),
    ("slow-to-fast", "MICRO 2017"): (
        _cores(AMP, "energy of TL over EETL, 10/s"),
        _cores(AMP, "energy of TL over EETL, 66/s"),
        _cores(AMP, "energy of EETL over EE, 10/s"),
        _cores(AMP, "energy of RC over EETL, 10/s"),
        _cores(AMP, "highest rate of 2F-13S at 200 ms", "the mean demand is not published"),
        _cores(DVFS, "4 cores: energy of EETL against Pegasus, 10/s"),
        _cores(DVFS, "energy of EETL, 4 cores with DVFS over 2F-13S, 50/s"),
    ),
    ("slow-to-fast", "Haque 2016, chapter 5"): (
        _cores(ONE_FAST, "p99 of TL against EE, 10/s"),
        _cores(ONE_FAST, "energy of TL over EETL, 10/s"),
        _cores(ONE_FAST, "highest rate at 200 ms"),
        _cores(ONE_FAST, "highest rate at 175 ms"),
        _cores(
            "three types (dissertation)", "5S+1M+1F: energy of EETL over Exhaustive, 10, 20, 30/s"
        ),
        _cores(ONE_FAST, "time to solve for thresholds, 8,000 requests, 5 speeds"),
    ),
    ("elfen", "USENIX ATC 2016"): (
        _lanes("borrow-idle: gain in lane utilisation (points) at 20/s"),
        _lanes("borrow-idle: gain in lane utilisation (points) at 120/s"),
        _lanes("borrow-idle: increase of p99 at 100/s, ms"),
        _lanes("idle time of periods up to 15 ms at 120/s, %"),
        _lanes("fixed: most busy lanes at 20 to 100/s", "most requests use up no budget here"),
        _lanes("dynamic: most busy lanes at 20 to 100/s", NO_IPC),
        _lanes("dynamic on 7 cores: increase of p99 at 600/s, ms", NO_IPC),
        _lanes("dynamic on 7 cores: busy lanes at 600/s", NO_IPC),
        _lanes("p99 alone on 7 cores at 1000/s, ms", "the replay has no contention"),
    ),
    ("rubik", "Bartolini 2015, chapter 3"): (
        _clocks(
            ALONE,
            "with feedback: p95 within 95 to 100 % of the bound, up to half load",
            "specjbb at 10 % is at its lowest clock",
        ),
        _clocks(ALONE, "energy of a request saved, up to half load", neutral=CHANGE),
        _clocks(ALONE, "dynamic oracle: saved at half load", neutral=CHANGE),
        _clocks(ALONE, "six copies: power of cores saved", "powers are ours", CHANGE),
        _clocks(
            ALONE,
            "load from 50 to 75 %: until the feedback has acted",
            "the published gains are not stated",
        )._replace(also=("if five times as fast",)),
        _clocks(BATCH, "low load, 50:50: power saved by fixed, RubikSC, RubikDC", neutral=CHANGE),
        _clocks(BATCH, "best ratio: power and servers of RubikDC", neutral=PERCENT_OF),
        _clocks(BATCH, "RubikSC: batch work per joule")._replace(also=("high load",)),
        _clocks(BATCH, "fixed: most p95 at low, high load, of the bound", neutral=RATIO),
        _clocks(
            BATCH,
            "HW-T: the same",
            "the chip's limit leaves requests the highest clocks",
            RATIO,
            "HW-T: most p95 at low, high load, of the bound",
        ),
        _clocks(
            BATCH,
            "HW-TPW: the same",
            "at high load 4 of 20 do not keep up",
            RATIO,
            "HW-TPW: most p95 at low, high load, of the bound",
        ),
        _clocks("power model", "error of a 25 ms sample, of the server's power", OWN_COUNTERS),
        _clocks("power model", "long-term error, of the server's power", OWN_COUNTERS),
    ),
    ("autopro", "Bartolini 2015, chapter 2"): (
        _shares(MODEL, "swaptions-like, alone", ours="ours, online"),
        _shares(MODEL, "bodytrack-like, alone", "whole units of work", "ours, online"),
        _shares(MODEL, "all, in all pairs, most", "whole units of work", "ours, online"),
        _shares(PAIR, "dedup-like", ours="40 %"),
        _shares(CASE, "AutoPro: errors of swaptions and x264", "phases of x264 are ours"),
        _shares(CASE, "AutoPro: granted"),
        _shares(CASE, "best static shares: errors of swaptions and x264"),
    ),
    ("greenpar", "Haque 2016, appendix B"): (
        _growing("brown energy, %", "High: Aggressive"),
        _growing("mean run time, %", "High: Aggressive"),
        _growing("mean run time, %", "High: Reactive", "it uses up its slowdown"),
        _growing("brown energy, %", "Medium: Aggressive", "forecasts are better here"),
        _growing("brown energy, %", "Low: Aggressive", "run time weighs more"),
        _growing("mean run time, %", "Low: Aggressive", "run time weighs more"),
        _growing("done in a day", "2 times the load, F = 1.1", "jobs that run longer delay others"),
    ),
    ("green-sla", "Haque 2016, appendix A"): (
        _promised("profit of FF / SA, High", PERCENT_OF),
        _promised("profit of FF / SA, Low", PERCENT_OF),
        _promised("profit of SGP / SA, High", PERCENT_OF, "depends on which jobs ask for green"),
        _promised("profit of SA over LP, High"),
        _promised("profit of SA, B x 0.8, Medium"),
        _promised("promises missed by SA, B x 0.8, Medium"),
        _promised("profit of SA-All over SA, Medium"),
        _promised("time of SA-All / SA", RATIO, "searches stay small"),
    ),
}

# Kinds without published figures, and where their gains over other kinds are.
GAINS = {"joint-ladder": "[what it gains](joint.md#what-it-gains)"}


def summary(page: str) -> list[tuple[str, ...]]:
    """The rows of the summary, with figures of `page`; one row for a kind without published ones.

    KeyError where the page lacks a row; ValueError where no verdict can be read off its figures.
    """
    of_page = dict(_rows(page))
    rows = [
        (kind, paper, *_cells(of_page[one.place], one))
        for (kind, paper), compared in SUMMARY.items()
        for one in compared
    ]
    published = {kind for kind, _paper in SUMMARY}
    return [*rows, *(_nothing_published(kind) for kind in KINDS if kind not in published)]


def _nothing_published(kind: str) -> tuple[str, ...]:
    return (kind, "", "nothing is published", "", "", "", "", GAINS.get(kind, ""))


def _cells(row: dict[str, str], one: Compared) -> tuple[str, ...]:
    what = one.what or one.place.row
    found = (row[one.published], row[one.ours], _verdicts(row, one), one.why)
    return (what, *found, _link(one.place.section))


def _verdicts(row: dict[str, str], one: Compared) -> str:
    """The verdict on ours, and in brackets those on its variants."""
    columns = [column for column in one.others if row.get(column)]
    ours, *others = (
        verdict(row[one.published], row[column], one.neutral) for column in (one.ours, *columns)
    )
    named = [f"{name}: {text}" for name, text in zip(columns, others, strict=True)]
    named += _of_extras(row[one.published], extras(row[one.published], row[one.ours]), one)
    return f"{ours} ({'; '.join(named)})" if named else ours


def _of_extras(published: str, more: list[str], one: Compared) -> Iterator[str]:
    """Verdicts on extras of ours, then those that have no published figure."""
    for words in one.also:
        (extra,) = (each for each in more if words in each)
        yield f"{words}: {verdict(published, extra.replace(words, ''), one.neutral)}"
    rest = [each for each in more if not any(words in each for words in one.also)]
    if rest:
        yield f"not published: {'; '.join(rest)}"


def _link(section: str) -> str:
    return f"[{section}](#{section.lower().replace(' ', '-')})"


def _rows(page: str) -> Iterator[tuple[Place, dict[str, str]]]:
    """Each row of each table, by column; of rows that occur twice the last one."""
    section, head = "", []
    for line in page.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            head = []
        elif not head:
            head = cells
        elif not re.fullmatch(r"[-: ]+", cells[0]):
            yield Place(section, head[0], cells[0]), dict(zip(head, cells, strict=True))
