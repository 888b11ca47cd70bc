"""Clean tables of machines, jobs and counters, and one with each defect that those can have."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.tailc.lint.seeded import Seed, changed, csv

STEPS, JOBS, REQUESTS = 200, 200, 400
_RNG = np.random.default_rng(30)
SHARE = _RNG.uniform(0.05, 0.45, (STEPS, 2)).round(4)
DONE = (SHARE * [1800.0, 9000.0] * _RNG.uniform(0.9, 1.1, SHARE.shape)).round(3)
SUBMIT_S = _RNG.exponential(900, JOBS).cumsum().astype(np.int64)
RUN_S = _RNG.gamma(1.5, 4000, JOBS).astype(np.int64) + 60
WIDTH = _RNG.integers(1, 9, JOBS)
CYCLES = _RNG.gamma(2.0, 300_000, REQUESTS).round() + 5_000
MEMORY_US = _RNG.gamma(2.0, 25, REQUESTS).round(3)
PROCESSORS = 64


def machines(done: Any = DONE, share: Any = SHARE) -> Seed:
    """Two machines, a row each every 750 ms."""
    at = np.repeat(np.arange(1, len(done) + 1) * 750, 2)
    names = ["encoder", "hasher"] * len(done)
    return csv(time_ms=at, machine=names, throughput=np.ravel(done), share=np.ravel(share))


def jobs(submit: Any = SUBMIT_S, run: Any = RUN_S, number: Any = None, **others: Any) -> Seed:
    """A list of jobs."""
    width = others.pop("nodes", WIDTH)
    named = range(1, len(submit) + 1) if number is None else number
    return csv(job_id=named, submit_s=submit, run_s=run, nodes=width)


def swf(header: str = "", run: Any = RUN_S, status: int = 1, width: Any = WIDTH) -> Seed:
    """The jobs as a log in the Standard Workload Format."""
    lines = [
        f"{at + 1} {SUBMIT_S[at]} 0 {run[at]} {width[at]} -1 -1 -1 -1 -1 {status} 1 1 1 1 1 -1 -1"
        for at in range(JOBS)
    ]
    head = f"; Version: 2.2\n; MaxProcs: {PROCESSORS}\n{header}"
    return Seed("t.swf", (head + "\n".join(lines) + "\n").encode())


def flurry() -> Seed:
    """The jobs, and 600 short ones of another user within ten hours after them."""
    last = int(SUBMIT_S[-1])
    lines = [
        f"{JOBS + at} {last + at * 60} 0 {60 + at} 1 -1 -1 -1 -1 -1 1 9 1 1 1 1 -1 -1\n"
        for at in range(1, 601)
    ]
    return Seed("t.swf", swf().content + "".join(lines).encode())


def counters(cycles: Any = CYCLES, memory: Any = MEMORY_US) -> Seed:
    """Cycles and memory time of requests."""
    return csv(cycles=cycles, memory_us=memory)


CLEAN = {
    "throughput": machines(),
    "jobs": jobs(),
    "jobs of the archive": swf(),
    "counters": counters(),
}

_ONE = np.zeros((STEPS, 2), np.bool_)
_ONE[:, 0] = True
_STUCK = DONE.copy()
_STUCK[50:70, 1] = 700.0
_SPIKE = DONE.copy()
_SPIKE[40, 0] = 90_000.0
_REST = SHARE.copy()
_REST[30:34, 0] = 0.0
_TWICE = [*range(100), 99, *range(100, JOBS)]

SEEDED = {
    "TC1701": machines(share=np.where(_ONE, 0.3, SHARE)),
    "TC1702": machines(share=SHARE * 2),
    "TC1703": machines(done=DONE.cumsum(axis=0).round(3)),
    "TC1704": machines(done=_SPIKE),
    "TC1705": machines(done=_STUCK),
    "TC1706": machines(share=_REST),
    "TC1801": jobs(SUBMIT_S[_TWICE], RUN_S[_TWICE], nodes=WIDTH[_TWICE]),
    "TC1802": jobs(run=RUN_S.clip(max=8_000)),
    "TC1803": jobs(SUBMIT_S + np.where(np.arange(JOBS) >= 150, 9 * 86_400, 0)),
    "TC1804": jobs(np.where(np.arange(JOBS) < 40, 0, SUBMIT_S)),
    "TC1805": jobs(run=SUBMIT_S + 200 + np.arange(JOBS) % 7),
    "TC1806": swf(run=RUN_S * 60),
    "TC1807": jobs(number=[*range(1, JOBS), 7]),
    "TC1808": swf(width=changed(WIDTH, slice(60, 62), PROCESSORS + 1)),
    "TC1809": flurry(),
    "TC1901": counters(CYCLES.cumsum()),
    "TC1902": counters(changed(CYCLES, slice(7, 8), 4_294_950_000.0)),
    "TC1903": counters(memory=np.zeros(REQUESTS)),
    "TC1904": counters(memory=(CYCLES * 1e-4).round(6)),
    "TC1905": counters((CYCLES / 1e6).round(4)),
    "TC0261": swf(run=changed(RUN_S, slice(5, 6), -1)),
    "TC0262": swf(header=f"; MaxJobs: {JOBS + 100}\n"),
}
