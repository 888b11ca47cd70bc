"""Build a search server, profile it, compile its policy, and set it to work beside the replay.

    python examples/lucene-server/run.py --quick

Sends the same queries at the same times under four policies: all on one thread (SEQ), all on two
(FIX-2), the compiled one (FM), and one that is tuned with queues at these rates (TUNED); and prints
what `tailc verify` predicts, what the replay says of just these requests, and what was measured.
`--policy NAME=FILE` sets others beside them. All files go to build/lucene-server. The machine
should have nothing else to do.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import figures
import fixed
import programs
import replays
from ruamel.yaml import YAML

FOLDER = Path(__file__).parent
OUT = FOLDER.parents[1] / "build" / "lucene-server"
SERVICE = "lucene-server"
# Threads of every request of a policy that is not compiled.
FIXED = {"SEQ": 1, "FIX-2": 2}
COMPILED, TUNED = "FM", "TUNED"
# Without requests before a timing, in the mean: caches are then as a light load leaves them.
GAP_MS = 15
# Even queries are for the compile; odd ones are held out, and sent as load.
PARTS = {"design": "even", "heldout": "odd"}
SEED = 1
# A spec leaves some part of a request to several threads.
MOST_SERIAL = 0.95


@dataclass(frozen=True)
class Size:
    """How much is measured; `utilizations` sets rates, by what one thread a request would use.

    tuning: requests that tuning a policy simulates.
    """

    passages: int | None
    queries: int
    repetitions: int
    utilizations: tuple[float, ...]
    seconds: float
    tuning: int


FULL = Size(None, 800, 2, (0.15, 0.3, 0.45), 8, 30_000_000)
QUICK = Size(60_000, 80, 1, (0.2,), 4, 10_000_000)

# Rows of requests; what the server said meanwhile.
Sent = tuple[list[dict[str, str]], figures.Samples]


def main() -> None:
    """The whole story."""
    arguments = parsed(sys.argv[1:])
    size = QUICK if arguments.quick else FULL
    before = os.getloadavg()[0]
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    served = out / "served.tailc"
    for made in (served, *(out / f"{name}.csv" for name in PARTS)):
        made.unlink(missing_ok=True)
    say("building the server")
    built = programs.build(out / "maven", arguments.cores)
    index, queries = indexed(built, arguments.corpus, size, out)
    if arguments.prepare:
        return
    fixed.write_fixed(SERVICE, arguments.degrees, out / "fixed")
    shutil.copyfile(out / "fixed.tailc", served)
    with programs.serving(built, index, served) as server:
        story = Story(built, server, queries, size, arguments)
        say(f"timing queries on 1 to {arguments.degrees} threads")
        time_queries(story, "design", size.repetitions)
        rates = arguments.rates or rates_of(out / "design.csv", size.utilizations, arguments.cores)
        policies = {name: compiled(story, name, rates) for name in (COMPILED, TUNED)}
        runs = compared(story, policies | dict(arguments.policy), rates)
    run_conditions = conditions(arguments.seconds or size.seconds, before)
    record = figures.as_json(runs, {**run_conditions, "serial": serial_shares(out / "design.csv")})
    (out / "found.json").write_text(record, encoding="utf-8")
    print(figures.table(runs))


def conditions(seconds: float, load_before: float) -> dict[str, object]:
    """When, on what, and how long each run was."""
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": {"cpus": len(programs.cores_there()), "system": platform.platform()},
        "seconds": seconds,
        "load_average": [round(load_before, 2), round(os.getloadavg()[0], 2)],
    }


@dataclass(frozen=True)
class Story:
    """What every step needs."""

    built: programs.Programs
    server: programs.Server
    queries: Path
    size: Size
    arguments: argparse.Namespace

    @property
    def out(self) -> Path:
        return self.arguments.out

    @property
    def fixed(self) -> Path:
        """The policy with a class for each number of threads."""
        return self.out / "fixed.tailc"


def parsed(words: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    there = len(programs.cores_there())
    # Where there are more than two, the load generator has one to itself.
    cores = there if there <= 2 else there - 1
    parser.add_argument(
        "--quick", action="store_true", help="a small index and short runs, to see it work"
    )
    parser.add_argument(
        "--prepare", action="store_true", help="build the server and the index, and stop there"
    )
    parser.add_argument("--corpus", type=Path, help="folder of text to search instead of sources")
    parser.add_argument("--cores", type=int, default=cores, help="hardware threads of the server")
    parser.add_argument("--degrees", type=int, help="most threads of a request")
    parser.add_argument("--rates", type=float, nargs="+", help="requests a second")
    parser.add_argument("--seconds", type=float, help="how long each run takes")
    parser.add_argument(
        "--policy",
        type=named_policy,
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="a compiled policy to set together with the others",
    )
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args(words)
    if arguments.corpus is not None and not arguments.corpus.is_dir():
        parser.error(f"`{arguments.corpus}` is no folder")
    if arguments.degrees is None:
        arguments.degrees = max(2, min(arguments.cores, 4))
    if not 1 <= arguments.cores <= there:
        parser.error(f"`--cores {arguments.cores}` is not 1 to {there}")
    if arguments.degrees < 2:
        parser.error(f"`--degrees {arguments.degrees}`: few-to-many needs two threads at least")
    return arguments


def named_policy(word: str) -> tuple[str, Path]:
    """`NAME=FILE` as a name that no other policy has and a file that is there."""
    name, _, file = word.partition("=")
    if not re.fullmatch(r"[\w-]+", name) or name in (*FIXED, COMPILED, TUNED):
        raise argparse.ArgumentTypeError(f"`{name}` is no new name of letters and digits")
    if not Path(file).is_file():
        raise argparse.ArgumentTypeError(f"`{file}` is no file")
    return name, Path(file)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def indexed(
    built: programs.Programs, corpus: Path | None, size: Size, out: Path
) -> tuple[Path, Path]:
    """The index and the queries of the text; made once for each text and size."""
    text = corpus or built.corpus
    known_by = zlib.crc32(str(text.resolve()).encode())
    place = out / f"index-{size.passages or 'all'}-{known_by:08x}"
    queries = place / "queries.txt"
    if not queries.exists():
        say("building the index")
        say(built.run("index", corpus=text, index=place, most_passages=size.passages))
        built.run("queries", index=place, out=queries, queries=size.queries, seed=SEED)
    return place, queries


def time_queries(story: Story, name: str, repetitions: int) -> None:
    """Adds to `design.csv` or `heldout.csv` a row a timing, one request at a time."""
    story.server.open_policy(story.fixed)
    timings = story.out / "timings.csv"
    story.built.run(
        "profile",
        url=story.server.url,
        queries=story.queries,
        part=PARTS[name],
        degrees=story.arguments.degrees,
        repetitions=repetitions,
        gap_ms=GAP_MS,
        seed=SEED,
        out=timings,
    )
    head, rows = timings.read_text(encoding="utf-8").split("\n", 1)
    with (story.out / f"{name}.csv").open("a", encoding="utf-8") as file:
        file.write(rows if file.tell() else f"{head}\n{rows}")


def compiled(story: Story, name: str, rates: Sequence[float]) -> Path:
    """The policy of that name, from the timings."""
    spec = story.out / f"{name}.yaml"
    arguments = story.arguments
    write_spec(spec, arguments.cores, arguments.degrees)
    if shares := serial_shares(story.out / "design.csv"):
        state_serial(spec, shares)
    if name == TUNED:
        tune_spec(spec, rates, story.size.tuning)
    say(tailc("compile", spec, "-o", story.out / name))
    return story.out / f"{name}.tailc"


def write_spec(path: Path, cores: int, degrees: int) -> None:
    """The spec beside the timings, for this machine."""
    spec = YAML().load((FOLDER / "spec.yaml").read_text(encoding="utf-8"))
    spec["server"].update(cores=cores, target_parallelism=1.5 * cores, max_degree=degrees)
    spec["search"].update(max_in_system=4 * cores)
    YAML().dump(spec, path)


def state_serial(path: Path, shares: dict[str, str]) -> None:
    """Let the spec state which shares of a request run on one thread."""
    spec = YAML().load(path)
    spec["serial"] = shares
    YAML().dump(spec, path)


def serial_shares(trace: Path) -> dict[str, str]:
    """The serial beginning and end of a request, as shares of its time on one thread.

    On two threads it begins when it starts and ends when it is answered. In between, both threads
    are on a core for all the CPU time that exceeds the duration; so one is for the rest of the
    duration. The beginning is the part of this before the second thread joins.
    """
    of_degree = {degree: _sums(trace, degree) for degree in ("1", "2")}
    alone_ms, on_two = of_degree["1"]["duration_ms"], of_degree["2"]
    serial_ms = min(2 * on_two["duration_ms"] - on_two["cpu_ms"], MOST_SERIAL * alone_ms)
    start_ms = min(on_two["begin_ms"], serial_ms)
    shares = {"start": start_ms / alone_ms, "end": (serial_ms - start_ms) / alone_ms}
    return {name: f"{100 * share:.1f}%" for name, share in shares.items() if share >= 0.0005}


def _sums(trace: Path, degree: str) -> dict[str, float]:
    """The sums of the times of all rows of a degree [ms]."""
    names = ("duration_ms", "begin_ms", "cpu_ms")
    with trace.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["degree"] == degree]
    return {name: sum(float(row[name]) for row in rows) for name in names}


def tune_spec(path: Path, rates: Sequence[float], requests: int) -> None:
    """Let the spec ask for a table tuned at these rates, where waiting counts as age."""
    spec = YAML().load(path)
    spec["server"].update(age_clock="arrival")
    spec["search"].update(method="simulation", requests=requests)
    spec["rates"] = [f"{rate:g}/s" for rate in rates]
    YAML().dump(spec, path)


def compared(story: Story, policies: dict[str, Path], rates: Sequence[float]) -> figures.Runs:
    """Every policy at every rate: predicted, replayed, and measured."""
    trace, cores = story.out / "heldout.csv", story.arguments.cores
    found = {at: run for rate in rates for at, run in sent_at(story, rate, policies).items()}
    predicted: dict[tuple[float, str], figures.Run] = {}
    for name, policy in policies.items():
        predicted |= verified(name, policy, trace, rates)
    runs: figures.Runs = {}
    for (rate, name), (rows, samples) in found.items():
        policy = policies.get(name, policies[COMPILED])
        runs[rate, name] = {
            figures.PREDICTED: predicted[rate, name],
            figures.REPLAYED: replays.replayed(policy, trace, rows, name),
            figures.WHOLE: replays.replayed(policy, trace, rows, name, has_serial=False),
            figures.MEASURED: figures.in_server(rows, samples, cores),
            figures.CLIENT: figures.at_client(rows, samples, cores),
        }
    return runs


def sent_at(story: Story, rate: float, policies: dict[str, Path]) -> dict[tuple[float, str], Sent]:
    """The load under every policy at a rate.

    Held-out queries are timed before it: among the runs, so that what slows the machine for a while
    meets both.
    """
    time_queries(story, "heldout", 1)
    found: dict[tuple[float, str], Sent] = {}
    for name in (*FIXED, *policies):
        say(f"sending {rate:g} requests a second under {name}")
        story.server.open_policy(policies.get(name, story.fixed))
        stem = story.out / f"{name}-{rate:g}"
        found[rate, name] = sent(story, rate, FIXED.get(name), stem)
    return found


def sent(story: Story, rate: float, threads: int | None, stem: Path) -> Sent:
    """The held-out queries as open load: what became of each, and the server's CPU time."""
    story.built.run(
        "load",
        url=story.server.url,
        queries=story.queries,
        part="odd",
        rate=rate,
        seconds=story.arguments.seconds or story.size.seconds,
        seed=SEED,
        **({} if threads is None else {"class": threads}),
        out=stem,
    )
    rows = figures.sent(stem.with_name(f"{stem.name}.csv"))
    return rows, figures.samples(stem.with_name(f"{stem.name}.stats.ndjson"))


def verified(
    name: str, policy: Path, trace: Path, rates: Sequence[float]
) -> dict[tuple[float, str], figures.Run]:
    """What the replay of held-out queries predicts at each rate."""
    words = [word for rate in rates for word in ("--rate", f"{rate:g}/s")]
    output = tailc(
        *("verify", policy, "--trace", trace, "--baselines", "seq,fix-2", *words),
        *("--output-format", "json"),
        # The policy passes, misses its SLO, or the queries cannot decide: all are answers.
        allowed=(0, 1, 4),
    )
    verdict = json.loads(output)["result"]
    say(f"`tailc verify` of {name} on the held-out queries: {verdict['verdict']}")
    return figures.predicted(verdict, name)


def tailc(*words: object, allowed: Sequence[int] = (0,)) -> str:
    """What a command of tailc prints; SystemExit where it fails."""
    command = [Path(sys.executable).with_name("tailc"), *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in allowed:
        raise SystemExit(f"`tailc {words[0]}` ended with {done.returncode}")
    return done.stdout


def rates_of(trace: Path, utilizations: Sequence[float], cores: int) -> list[float]:
    """Requests a second that would use so much of the cores on one thread each."""
    with trace.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["degree"] == "1"]
    capacity = 1e3 * cores * len(rows) / sum(float(row["duration_ms"]) for row in rows)
    return [float(f"{share * capacity:.2g}") for share in utilizations]


if __name__ == "__main__":
    main()
