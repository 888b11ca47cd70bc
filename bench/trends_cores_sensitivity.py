"""Slow-to-fast on other workloads, and which cores to choose for which target and load."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bench.core_study import KNOWN, OWN
from bench.core_workloads import (
    LUCENE,
    SHARE_OF_SLOW_TAIL,
    finance_ms,
    lucene_light_ms,
    lucene_mod_ms,
    lucene_ms,
    study,
)
from bench.trends_cores_load import ENERGY, P99
from tailc.report.core_sizes import as_text
from tailc.studies.core_sizing import CoreSizing, SizingGrid, size_cores

Row = list[str]
SCALES = (0.25, 0.5, 1.0, 2.0)
WORKLOAD_HEADS = (
    *("target", "mean, p99 on a slow core", "rate", "p99 of EETL", "TL/EETL"),
    *("TL/EETL, share known", "EETL/EE"),
)
SIX = ("16s", "8s-1f", "5s-1m-1f", "4s-1m-1f", "3s-1m-1f", "2f")
SIX_MICRO = ("15s", "8s-1f", "5s-1m-1f", "4s-1m-1f", "3s-1m-1f", "2f")
GRID = SizingGrid(
    tuple(rate * 1000 for rate in (5, 10, 20, 30, 40, 50, 60, 70, 80)),
    tuple(target * 1000 for target in (150, 160, 175, 200, 225, 250, 275, 300)),
)


def workloads() -> Iterator[Row]:
    """2F-13S at utilizations like those of Lucene at 10 and 60/s."""
    cases: list[tuple[str, NDArray[np.float64], float]] = [
        ("lucene-as2f", lucene_ms(), 200.0),
        ("lucene-as2f, lighter in between", lucene_light_ms(), 200.0),
        ("lucene-mod", lucene_mod_ms(), SHARE_OF_SLOW_TAIL * 180),
        ("finance", finance_ms(), 100.0),
    ]
    for scale in SCALES:
        demand_ms = lucene_ms() * scale
        target_ms = SHARE_OF_SLOW_TAIL * float(np.quantile(demand_ms, 0.99))
        cases.append((f"lucene-as2f, demand times {scale:g}", demand_ms, target_ms))
    for name, demand_ms, target_ms in cases:
        yield from _workload(name, demand_ms.round(3), round(target_ms))


def _workload(name: str, demand_ms: NDArray[np.float64], target_ms: float) -> Iterator[Row]:
    faster = lucene_ms().mean() / demand_ms.mean()
    rates = tuple(round(rate * faster) for rate in (10, 60))
    one = study("micro-13s-2f", demand_ms=demand_ms, target_ms=target_ms, rates=rates, control="pi")
    told = f"{demand_ms.mean():.0f}, {np.quantile(demand_ms, 0.99):.0f} ms"
    for rate in rates:
        yield [
            name,
            f"{target_ms:g} ms",
            told,
            f"{rate}/s",
            f"{one.figure(P99, OWN, rate).text(0)} ms",
            one.ratio(ENERGY, "tl", OWN, rate).text(2),
            one.ratio(ENERGY, "tl", KNOWN, rate).text(2),
            one.ratio(ENERGY, OWN, "ee", rate).text(2),
        ]


def choices() -> Iterator[str]:
    """The tables of both papers' six servers."""
    for paper, servers in (("dissertation", SIX), ("micro", SIX_MICRO)):
        yield as_text(sized(paper, servers))


def sized(paper: str, servers: tuple[str, ...]) -> CoreSizing:
    paths = [str(LUCENE / "configs" / f"{paper}-{server}.yaml") for server in servers]
    return size_cores(paths, GRID)
