"""Measure how long search queries take in DuckDB at each degree of parallelism.

Builds a synthetic inverted index inside the engine, runs seeded search queries
against it one at a time, and writes every repetition of every query at every
degree to `design.parquet` and `heldout.parquet`, with the machine in
`machine.json`. Needs `pip install duckdb numpy pyarrow`.
"""

import argparse
import datetime
import gc
import json
import math
import os
import platform
import time
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

BM25_K1 = 1.2  # Robertson and Zaragoza (2009), section 3.4: usual values
BM25_B = 0.75
MEAN_DOC_LENGTH = 300  # words; lengths are 50 plus an exponential of mean 250
HELD_OUT_ONE_IN = 5
MS_PER_NS = 1e-6
FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Corpus:
    """The synthetic corpus: the r-th most common term is in `peak / r**skew` of the documents."""

    documents: int = 5_000_000
    vocabulary: int = 20_000
    peak: float = 0.30
    skew: float = 0.75
    seed: int = 1

    def document_frequency(self, term: int) -> int:
        """Documents that contain the term; terms are numbered by rank from 1."""
        return max(20, math.floor(self.peak * self.documents / term**self.skew))


@dataclass(frozen=True)
class Query:
    """Distinct terms, all of which (`is_conjunctive`) or any of which must be in the document."""

    terms: tuple[int, ...]
    is_conjunctive: bool


@dataclass(frozen=True)
class Workload:
    """How queries are drawn: term rank is `vocabulary ** u**rarity` for uniform u."""

    queries: int = 1200
    shares_by_length: tuple[float, ...] = (0.25, 0.35, 0.25, 0.15)
    conjunctive_share: float = 0.6
    rarity: float = 0.65
    seed: int = 2


@dataclass(frozen=True)
class Schedule:
    """Order of execution: repetitions outermost, then batches, then degrees in rotated order."""

    degrees: tuple[int, ...]
    repetitions: int = 10
    batch: int = 40


def main() -> None:
    """Measure and write the files, then print the statistics of what was written."""
    arguments = parse_arguments()
    if not arguments.summary_only:
        measure(arguments)
    print(summary(arguments.out))


def parse_arguments() -> argparse.Namespace:
    """Command line; the defaults are those of the files kept here."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--degrees", type=int, nargs="+", default=list(range(1, cores + 1)))
    parser.add_argument("--queries", type=int, default=Workload.queries)
    parser.add_argument("--repetitions", type=int, default=Schedule.repetitions)
    parser.add_argument("--documents", type=int, default=Corpus.documents)
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--summary-only", action="store_true", help="only read the files")
    return parser.parse_args()


def measure(arguments: argparse.Namespace) -> None:
    """Build the corpus, time the queries, and write the three files to `arguments.out`."""
    corpus = Corpus(documents=arguments.documents)
    workload = Workload(queries=arguments.queries)
    schedule = Schedule(tuple(sorted(set(arguments.degrees))), arguments.repetitions)
    engine = duckdb.connect()
    postings = build_corpus(engine, corpus)
    statements = [statement(query, corpus) for query in draw_queries(workload, corpus)]
    warm_up(engine, statements, max(schedule.degrees))

    before, start = machine_state(), time.monotonic()
    timings = list(time_all(engine, statements, schedule))
    conditions = {
        "measuring_s": round(time.monotonic() - start),
        "before": before,
        "after": machine_state(),
    }
    write_timings(timings, arguments.out)
    setup = {"corpus": asdict(corpus) | {"postings": postings}, "workload": asdict(workload)}
    write_machine(setup | {"schedule": asdict(schedule), "conditions": conditions}, arguments.out)


def build_corpus(engine: duckdb.DuckDBPyConnection, corpus: Corpus) -> int:
    """Number of postings in the new table `postings`, which is ordered by term, then document.

    A posting carries the document's length, so scoring joins nothing. The order
    lets the engine skip the row groups (122 880 rows) of other terms: a rare
    term reads one row group, which one thread scans; a common one reads many.
    """
    frequencies = [corpus.document_frequency(t) for t in range(1, corpus.vocabulary + 1)]
    engine.execute(
        "CREATE TABLE terms AS SELECT unnest(range(1, len($1) + 1))::INTEGER AS term,"
        " unnest($1)::INTEGER AS frequency",
        [frequencies],
    )
    engine.execute(f"""
        CREATE TABLE postings AS
        WITH slots AS (SELECT term, frequency, unnest(range(frequency)) AS slot FROM terms),
        placed AS (
            SELECT term, slot,
                   least({corpus.documents} - 1, floor((slot + {uniform(corpus, "term, slot, 1")})
                         * {corpus.documents} / frequency))::INTEGER AS doc
            FROM slots)
        SELECT term, doc,
               (1 + floor(-1.5 * ln({uniform(corpus, "term, slot, 2")})))::SMALLINT AS tf,
               (50 + floor(-250 * ln({uniform(corpus, "doc, 3")})))::SMALLINT AS length
        FROM placed ORDER BY term, doc""")
    return engine.execute("SELECT count(*) FROM postings").fetchone()[0]


def uniform(corpus: Corpus, keys: str) -> str:
    """SQL for a number in (0, 1) that depends on nothing but the seed and `keys`."""
    return f"((hash({corpus.seed}, {keys}) % 1000000 + 0.5) / 1e6)"


def draw_queries(workload: Workload, corpus: Corpus) -> list[Query]:
    """Distinct queries, in the order of their ids."""
    rng = np.random.default_rng(workload.seed)
    drawn: dict[Query, None] = {}
    while len(drawn) < workload.queries:
        drawn[draw_query(rng, workload, corpus)] = None
    return list(drawn)


def draw_query(rng: np.random.Generator, workload: Workload, corpus: Corpus) -> Query:
    """One query; a term drawn twice counts once."""
    lengths = range(1, len(workload.shares_by_length) + 1)
    length = rng.choice(lengths, p=workload.shares_by_length)
    ranks = corpus.vocabulary ** (rng.random(length) ** workload.rarity)
    terms = tuple(sorted({math.floor(rank) for rank in ranks}))
    return Query(terms, len(terms) > 1 and bool(rng.random() < workload.conjunctive_share))


def statement(query: Query, corpus: Corpus) -> str:
    """SQL for the ten best documents by BM25, the posting lists read in parallel and added up."""
    lists = " UNION ALL ".join(scored_list(term, corpus) for term in query.terms)
    if len(query.terms) > 1:
        matching = f"HAVING count(*) = {len(query.terms)}" if query.is_conjunctive else ""
        lists = f"SELECT doc, sum(score) AS score FROM ({lists}) GROUP BY doc {matching}"
    return f"SELECT doc, score FROM ({lists}) ORDER BY score DESC, doc LIMIT 10"


def scored_list(term: int, corpus: Corpus) -> str:
    """SQL for the documents of a term and its share of their BM25 score."""
    frequency = corpus.document_frequency(term)
    idf = math.log(1 + (corpus.documents - frequency + 0.5) / (frequency + 0.5))
    norm = f"{BM25_K1} * ({1 - BM25_B} + {BM25_B / MEAN_DOC_LENGTH} * length)"
    score = f"{idf * (BM25_K1 + 1):.6f}::DOUBLE * tf / (tf + ({norm})::DOUBLE)"
    return f"SELECT doc, {score} AS score FROM postings WHERE term = {term}"


def warm_up(engine: duckdb.DuckDBPyConnection, statements: list[str], degree: int) -> None:
    """Run every query once, untimed."""
    engine.execute(f"SET threads = {degree}")
    for sql in statements:
        engine.execute(sql).fetchall()


Timing = tuple[int, int, int, float, float]  # query id, degree, repetition, wall and CPU ms


def time_all(
    engine: duckdb.DuckDBPyConnection, statements: list[str], schedule: Schedule
) -> Iterator[Timing]:
    """Time every query at every degree, so that drift of the machine hits all degrees alike.

    A batch runs at all degrees within seconds; which degree goes first rotates.
    The first query of a batch runs once untimed after a change of degree.
    """
    gc.disable()
    for repetition in range(schedule.repetitions):
        for turn, first in enumerate(range(0, len(statements), schedule.batch)):
            batch = range(first, min(first + schedule.batch, len(statements)))
            for degree in rotated(schedule.degrees, turn + repetition):
                warm_up(engine, [statements[first]], degree)
                for query_id in batch:
                    yield query_id, degree, repetition, *time_once(engine, statements[query_id])
    gc.enable()


def rotated(degrees: tuple[int, ...], turns: int) -> tuple[int, ...]:
    """The degrees, started `turns` places later."""
    start = turns % len(degrees)
    return degrees[start:] + degrees[:start]


def time_once(engine: duckdb.DuckDBPyConnection, sql: str) -> tuple[float, float]:
    """Wall time and CPU time of the whole process for one query, answer fetched [ms, to 1 us]."""
    wall_ns, cpu_ns = time.perf_counter_ns(), time.process_time_ns()
    engine.execute(sql).fetchall()
    cpu_ns, wall_ns = time.process_time_ns() - cpu_ns, time.perf_counter_ns() - wall_ns
    return round(wall_ns * MS_PER_NS, 3), round(cpu_ns * MS_PER_NS, 3)


def is_held_out(query_id: int) -> bool:
    """Whether the query is kept for verification: CRC-32 of its decimal id divides by five."""
    return zlib.crc32(str(query_id).encode()) % HELD_OUT_ONE_IN == 0


def write_timings(timings: list[Timing], out: Path) -> None:
    """Write both Parquet files, rows ordered by query, degree, repetition."""
    names = ("query_id", "degree", "repetition", "duration_ms", "cpu_ms")
    types = (pa.int64(), pa.int32(), pa.int32(), pa.float64(), pa.float64())
    for name, held_out in (("design", False), ("heldout", True)):
        rows = sorted(t for t in timings if is_held_out(t[0]) == held_out)
        columns = zip(*rows, strict=True)
        arrays = [pa.array(c, type=t) for c, t in zip(columns, types, strict=True)]
        table = pa.table(arrays, names=names)
        pq.write_table(table, out / f"{name}.parquet", compression="zstd")


def write_machine(measurement: dict, out: Path) -> None:
    """Write what the timings depend on, and nothing that names the machine."""
    machine = {
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1),
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "duckdb": duckdb.__version__,
        "numpy": np.__version__,
    }
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    document = {"date": today, "machine": machine} | measurement
    (out / "machine.json").write_text(json.dumps(document, indent=2) + "\n")


def cpu_model() -> str:
    """The processor's name as the kernel gives it, or what Python knows where it does not."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def machine_state() -> dict[str, float]:
    """Load average over one minute: about 1 to 2 is this measurement itself."""
    return {"load_average_1min": round(os.getloadavg()[0], 2)}


def summary(out: Path) -> str:
    """Markdown tables of the demand, the speed-up and the spread of both files."""
    return "\n".join(file_summary(out / f"{name}.parquet") for name in ("design", "heldout"))


def file_summary(path: Path) -> str:
    """The statistics of one file, computed from its repetitions; a query's value is its mean."""
    degrees, wall, cpu = read_timings(path)
    mean = wall.mean(axis=2)
    gain = degrees[-1] / degrees[0]
    rows = demand_rows(mean[:, 0]) + speedup_rows(mean[:, 0], mean[:, -1], gain)
    rows += spread_rows(wall, cpu)
    head = f"| {path.name}, degree {degrees[0]} against {degrees[-1]} | |\n|---|---|\n"
    return head + "".join(f"| {name} | {value} |\n" for name, value in rows)


def read_timings(path: Path) -> tuple[list[int], np.ndarray, np.ndarray]:
    """The degrees, ascending, then wall and CPU time [ms] by query, degree and repetition."""
    table = pq.read_table(path)
    queries = len(pc.unique(table["query_id"]))
    degrees = sorted(pc.unique(table["degree"]).to_pylist())
    shape = (queries, len(degrees), -1)  # rows are in the order of write_timings
    wall, cpu = (table[name].to_numpy().reshape(shape) for name in ("duration_ms", "cpu_ms"))
    return degrees, wall, cpu


Rows = list[tuple[str, str]]


def demand_rows(demand: np.ndarray) -> Rows:
    """How the mean durations at the lowest degree are distributed."""
    quantiles = [(f"p{q} demand", f"{np.percentile(demand, q):.2f} ms") for q in (5, 50, 95, 99)]
    mean, largest = f"{demand.mean():.2f} ms", f"{demand.max():.2f} ms"
    count = ("queries", f"{len(demand)}")
    return [count, ("mean demand", mean), *quantiles, ("largest demand", largest)]


def speedup_rows(slow: np.ndarray, fast: np.ndarray, linear: float) -> Rows:
    """What the highest degree gains, for all queries and for both ends of the demand.

    `linear` is the speed-up were no work added and no core's cache helped.
    """
    speedup = slow / fast
    by_demand = speedup[np.argsort(slow, kind="stable")]
    twentieth = max(1, len(slow) // 20)
    return [
        ("mean speed-up", f"{speedup.mean():.3f}"),
        ("mean speed-up, longest 5 %", f"{by_demand[-twentieth:].mean():.3f}"),
        ("mean speed-up, shortest 5 %", f"{by_demand[:twentieth].mean():.3f}"),
        ("smallest and largest speed-up", f"{speedup.min():.3f}, {speedup.max():.3f}"),
        ("queries with speed-up below 1", f"{(speedup < 1).mean():.1%}"),
        (f"queries with speed-up above {linear:g}", f"{(speedup > linear).mean():.1%}"),
    ]


def spread_rows(wall: np.ndarray, cpu: np.ndarray) -> Rows:
    """How far repetitions of a query differ, and how much of degree 1 was spent off the CPU."""
    peak = np.median(wall.max(axis=2) / np.median(wall, axis=2), axis=0)
    variation = np.median(wall.std(axis=2, ddof=1) / wall.mean(axis=2), axis=0)
    waiting = 1 - cpu[:, 0].sum() / wall[:, 0].sum()
    return [
        ("max / median of a query, by degree", ", ".join(f"{p:.3f}" for p in peak)),
        ("coefficient of variation, by degree", ", ".join(f"{v:.3f}" for v in variation)),
        ("wall time off the CPU at the lowest degree", f"{waiting:.2%}"),
    ]


if __name__ == "__main__":
    main()
