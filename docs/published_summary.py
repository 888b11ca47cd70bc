"""The summary on top of published-results.md: some rows of its tables, and a verdict on each.

Figures are read from the page's own tables; the verdict is a reader's, who looks at both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

HEAD = ("kind", "published in", "what", "published", "ours", "verdict", "more")


class Place(NamedTuple):
    """A row of a table of the page: its section, the head of its first column, its first cell."""

    section: str
    table: str
    row: str


class Compared(NamedTuple):
    """A figure of a paper beside ours; `what` says it where the row alone does not."""

    place: Place
    verdict: str
    ours: str = "ours"
    published: str = "published"
    what: str = ""


def _lucene(row: str, verdict: str) -> Compared:
    return Compared(Place("Lucene", "Lucene", row), verdict)


def _bing(row: str, verdict: str) -> Compared:
    return Compared(Place("Bing", "Bing", row), verdict)


def _cores(table: str, row: str, verdict: str) -> Compared:
    server = table.partition(" (")[0]
    what = row if server in row else f"{server}: {row}"
    return Compared(Place("Slow-to-fast", table, row), verdict, what=what)


def _lanes(row: str, verdict: str) -> Compared:
    return Compared(Place("Elfen", "published", row), verdict, published="value")


def _shares(table: str, row: str, verdict: str, ours: str = "ours") -> Compared:
    return Compared(Place("AutoPro", table, row), verdict, ours, what=f"{ABOUT[table]}{row}")


def _clocks(table: str, row: str, verdict: str) -> Compared:
    return Compared(Place("Rubik", table, row), verdict)


def _growing(table: str, row: str, verdict: str) -> Compared:
    return Compared(
        Place("GreenPar", table, row),
        verdict,
        "Atlas, 26",
        what=f"{table.partition(',')[0]}, {row}",
    )


def _promised(row: str, verdict: str) -> Compared:
    return Compared(Place("Green SLA", "published", row), verdict, "Mustang", "value")


AMP, ONE_FAST, DVFS = "2F-13S (MICRO 2017)", "8S+1F (dissertation)", "per-core DVFS (MICRO 2017)"
ALONE, BATCH = "Rubik on requests alone", "Rubik with batch work"
MODEL = "model, one step ahead, shares drawn at random"
PAIR = "two machines at x and 80 - x %, and batch work: median, 90th percentile"
CASE = "case study, 95th percentile of 30 runs"
ABOUT = {MODEL: "error of the model, ", PAIR: "error of two at 40 %, ", CASE: ""}

SUMMARY: dict[tuple[str, str], tuple[Compared, ...]] = {
    ("few-to-many", "ASPLOS 2015, section 6"): (
        _lucene("p99 of FM against FIX-2, 40/s", "no; yes where cores are given back"),
        _lucene("mean of FM against FIX-2, 40/s", "direction"),
        _lucene("p99 of FM against Adaptive (approximation), 40/s", "no: its rule is not printed"),
        _lucene("p99 of FM against RC, threshold searched, 43/s", "no; direction without boosting"),
        _lucene("p99 of FM against FM without boosting, 40/s", "no: boosting hurts here"),
        _lucene("p99 of FIX-4 against FIX-2, 40/s", "yes"),
        _lucene("mean degree of the longest 5 %, 30/s", "yes"),
        _lucene("mean degree of the shortest 5 %, 47/s", "no: short requests climb here"),
        Compared(
            Place("The search", "search on 10,000 requests", "each request"),
            "faster",
            what="search on 10,000 requests, each by itself",
        ),
    ),
    ("few-to-many", "ASPLOS 2015, section 7"): (
        _bing("p99 of FM, 260/s, ms", "near"),
        _bing("p99 of FM against Adaptive, 180/s", "direction: Bing is idle here"),
        _bing(
            "servers saved against Adaptive at 120 ms", "no; direction where cores are given back"
        ),
    ),
    ("slow-to-fast", "MICRO 2017"): (
        _cores(AMP, "energy of TL over EETL, 10/s", "near"),
        _cores(AMP, "energy of TL over EETL, 66/s", "near"),
        _cores(AMP, "energy of EETL over EE, 10/s", "direction"),
        _cores(AMP, "energy of RC over EETL, 10/s", "near"),
        _cores(AMP, "highest rate of 2F-13S at 200 ms", "more: the mean demand is not published"),
        _cores(DVFS, "4 cores: energy of EETL against Pegasus, 10/s", "near"),
        _cores(DVFS, "energy of EETL, 4 cores with DVFS over 2F-13S, 50/s", "near"),
    ),
    ("slow-to-fast", "Haque 2016, chapter 5"): (
        _cores(ONE_FAST, "p99 of TL against EE, 10/s", "yes"),
        _cores(ONE_FAST, "energy of TL over EETL, 10/s", "near"),
        _cores(ONE_FAST, "highest rate at 200 ms", "near"),
        _cores(ONE_FAST, "highest rate at 175 ms", "no"),
        _cores(
            "three types (dissertation)",
            "5S+1M+1F: energy of EETL over Exhaustive, 10, 20, 30/s",
            "yes",
        ),
        _cores(ONE_FAST, "time to solve for thresholds, 8,000 requests, 5 speeds", "faster"),
    ),
    ("elfen", "USENIX ATC 2016"): (
        _lanes("borrow-idle: points of a lane more at 20/s", "near"),
        _lanes("borrow-idle: points of a lane more at 120/s", "near"),
        _lanes("borrow-idle: p99 more at 100/s, ms", "yes"),
        _lanes("idle time of periods up to 15 ms at 120/s, %", "yes"),
        _lanes("dynamic on 7 cores: p99 more at 600/s, ms", "less"),
        _lanes("dynamic on 7 cores: busy lanes at 600/s", "near"),
        _lanes("p99 alone on 7 cores at 1000/s, ms", "no: the replay has no contention"),
    ),
    ("rubik", "Bartolini 2015, chapter 3"): (
        _clocks(
            ALONE,
            "with feedback: p95 within 95 to 100 % of the bound, up to half load",
            "yes, but one",
        ),
        _clocks(ALONE, "energy of a request saved, up to half load", "more"),
        _clocks(ALONE, "dynamic oracle: saved at half load", "near"),
        _clocks(ALONE, "six copies: power of cores saved", "less: powers are ours"),
        _clocks(ALONE, "load from 50 to 75 %: until the feedback has acted", "slower"),
        _clocks(BATCH, "low load, 50:50: power saved by fixed, RubikSC, RubikDC", "near"),
        _clocks(BATCH, "best ratio: power and servers of RubikDC", "near"),
        _clocks(BATCH, "RubikSC: batch work per joule", "direction"),
        _clocks(BATCH, "fixed: most p95 at low, high load, of the bound", "no"),
    ),
    ("autopro", "Bartolini 2015, chapter 2"): (
        _shares(MODEL, "swaptions-like, alone", "yes", "ours, online"),
        _shares(MODEL, "bodytrack-like, alone", "no: whole units of work", "ours, online"),
        _shares(MODEL, "all, in all pairs, most", "no: the same", "ours, online"),
        _shares(PAIR, "dedup-like", "yes", "40 %"),
        _shares(CASE, "AutoPro: errors of swaptions and x264", "direction: phases are ours"),
        _shares(CASE, "AutoPro: granted", "yes"),
        _shares(CASE, "best static shares: errors of swaptions and x264", "near for x264"),
    ),
    ("greenpar", "Haque 2016, appendix B"): (
        _growing("brown energy, %", "High: Aggressive", "more; on other logs none"),
        _growing("mean run time, %", "High: Aggressive", "more, on all logs but one"),
        _growing("mean run time, %", "High: Reactive", "no: it uses up its slowdown"),
        _growing("brown energy, %", "Medium: Aggressive", "no: forecasts are better here"),
        _growing("brown energy, %", "Low: Aggressive", "yes; on other logs more"),
        _growing("mean run time, %", "Low: Aggressive", "no: run time weighs more"),
        _growing("done in a day", "2 times the load, F = 1.1", "no; on another log +7 %"),
    ),
    ("green-sla", "Haque 2016, appendix A"): (
        _promised("profit of FF by SA, High", "yes"),
        _promised("profit of FF by SA, Low", "near"),
        _promised("profit of SGP by SA, High", "less, with this draw of promises"),
        _promised("profit of SA over LP, High", "yes"),
        _promised("profit of SA, B x 0.8, Medium", "yes"),
        _promised("promises missed by SA, B x 0.8, Medium", "more"),
        _promised("profit of SA-All over SA, Medium", "no"),
        _promised("time of SA-All by SA", "no: searches stay small"),
    ),
}

# The papers name it as future work; what it gains is against their kinds.
WITHOUT_A_PAPER = (
    (
        "joint-ladder",
        "",
        "nothing is published",
        "",
        "",
        "",
        "[what it gains](joint.md#what-it-gains)",
    ),
)


def summary(page: str) -> list[tuple[str, ...]]:
    """The rows of the summary, with figures of `page`; KeyError where one does not stand there."""
    told = dict(_rows(page))
    rows = [
        (kind, paper, *_figures(told[one.place], one), one.verdict, _link(one.place.section))
        for (kind, paper), compared in SUMMARY.items()
        for one in compared
    ]
    return [*rows, *WITHOUT_A_PAPER]


def _figures(row: dict[str, str], one: Compared) -> tuple[str, str, str]:
    return one.what or one.place.row, row[one.published], row[one.ours]


def _link(section: str) -> str:
    return f"[{section}](#{section.lower().replace(' ', '-')})"


def _rows(page: str) -> Iterator[tuple[Place, dict[str, str]]]:
    """Each row of each table, by column; of rows that are told twice the last one."""
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
