"""The runs of tailc that `bench.outputs` records, in their order: a later one may read what an
earlier one wrote.

Every command is in some run, and so is every option that selects other code. Left out is what no
two runs have alike: `keygen` draws a key, `bundle` has times, `sign` and `--trust` need one,
`--watch` does not end, and `--version` is meant to change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench.outputs_policies import (
    CAMPUS,
    CLUSTER,
    CYCLES,
    FM,
    LANES,
    LOG,
    LUCENE,
    LUCENE_SLOW,
    POLICIES,
    REPLAYS,
    RUBIK,
    SHARES,
    STEPS,
    Policy,
)
from bench.timing import ROOT
from tailc.pipeline.spec import DOCUMENT_MODELS

SEARCH = "examples/search/service.yaml"
QUERIES = "examples/search/heldout.parquet"
CONFIGS = "examples/lucene-as2f/configs"
SAMPLES = "tests/tailc/ingest/samples"
VECTORS = "schemas/vectors/v1"


@dataclass(frozen=True)
class Run:
    """One call of tailc, its arguments as a shell would split them."""

    name: str
    arguments: str


def runs() -> tuple[Run, ...]:
    """Every run, each of another name."""
    of_policies = (run for policy in POLICIES for run in _runs_of(policy))
    return (*of_policies, *REPLAYED, *COMPARED, *ASKED, *SIZED, *FITTED, *MEASURED, *WRITTEN)


def _runs_of(policy: Policy) -> Iterator[Run]:
    name, stem = policy.name, policy.stem
    yield Run(f"compile-{name}", f"compile {policy.spec} -o {stem} {policy.options}")
    yield Run(f"inspect-{name}", f"inspect {stem} --rows")
    if policy.trace is not None:
        yield Run(f"report-{name}", f"report {stem} -o {stem}.html")
        arguments = f"verify {stem} --trace {policy.trace} {policy.judged}"
        yield Run(f"verify-{name}", arguments)


def _named(command: str, what: dict[str, str]) -> tuple[Run, ...]:
    """Runs of one command: the rest of each name, and the rest of its arguments."""
    return tuple(Run(f"{command}-{name}", f"{command} {rest}") for name, rest in what.items())


ON_LUCENE = f"build/lucene-fm --trace {LUCENE} {REPLAYS}"
ON_LOG = f"build/lucene-fm --trace {LOG} {REPLAYS} --baselines none"
ON_CORES = f"build/lucene-as2f --trace {LUCENE_SLOW} {REPLAYS} --rate 25/s"
ON_CLOCKS = f"build/dvfs --trace {LUCENE_SLOW} {REPLAYS} --rate 25/s"
ON_LANES = f"build/elfen --trace {LANES} {REPLAYS} --rate 40/s"
ON_FREQUENCIES = f"build/rubik --trace {CYCLES} {REPLAYS} --rate 960/s"

REPLAYED = (
    *_named(
        "verify",
        {
            "rates": f"{ON_LUCENE} --rate 20/s --rate 50/s --baselines none --seed 7",
            "bursty": f"{ON_LUCENE} --rate 36/s --arrivals bursty:idc=8,spell=2s --baselines seq",
            "diurnal": f"{ON_LUCENE} --rate 36/s --arrivals diurnal:0.75,1.25 --baselines none",
            "bursts": f"{ON_LUCENE} --arrivals bursts:500@45/s,500@30/s --baselines first",
            "rate-steps": f"{ON_LUCENE} --arrivals profile:examples/steps.csv --baselines seq",
            "all-arrivals": f"{ON_LUCENE} --rate 36/s --arrivals all --baselines none",
            "recorded": f"{ON_LOG} --arrivals recorded:at_s --arrival-unit s --gaps keep",
            "rescaled": f"{ON_LOG} --arrivals recorded:at_s --arrival-unit s --gaps close"
            " --rescale 30/s --rescale 20/s",
            "refused-gaps": f"{ON_LOG} --arrivals recorded:at_s --arrival-unit s",
            "fixed": f"{ON_LUCENE} --rate 36/s"
            " --baselines 'seq,fix-3,fix-3<30,fix-3+boost,every-100ms'",
            "searched": f"{ON_LUCENE} --rate 36/s --baselines 'adaptive,rc-4,rc-4>225ms,no-boost'",
            "unknown-baseline": f"{ON_LUCENE} --baselines sqe",
            "ended": f"{ON_LUCENE} --rate 36/s --cut-off 400ms --baselines seq",
            "cores": f"{ON_CORES} --baselines 'tl,ee,oblivious,rc,rc>150ms,s2f,s2f-50%,one-gain'",
            "cores-searched": f"{ON_CORES} --baselines reactive,reactive+start,exhaustive-50ms",
            "cores-bursts": f"{ON_CORES} --arrivals bursts:500@25/s,500@60/s --baselines one-gain",
            "clocks": f"{ON_CLOCKS} --baselines pegasus,tl",
            "one-type": f"{ON_CORES} --baselines octopus --other-power 33%",
            "lanes": f"{ON_LANES} --baselines no-batch,borrow-idle,fixed,fixed-47ms,refresh",
            "lanes-managed": f"{ON_LANES} --baselines dynamic,safe,always-shared",
            "frequencies": f"{ON_FREQUENCIES}"
            " --baselines fixed,static-oracle,dynamic-oracle,open-loop",
            "drift": f"build/lucene-fm --trace {LOG} --drift",
            "own-data": f"build/search --trace examples/search/design.parquet {REPLAYS}",
            "own-data-allowed": "build/search --trace examples/search/design.parquet"
            f" --allow-compile-trace --baselines none {REPLAYS}",
            "budgets": f"build/dual --trace {LUCENE} {REPLAYS} --baselines none --rate 36/s"
            " --since build/lucene-fm --budgets examples/lucene-fm/several-slos.yaml",
            "page": f"{ON_LUCENE} --rate 36/s --baselines first --report build/verdict.html",
            "plotted": f"{ON_LUCENE} --rate 36/s --baselines first --plot",
            "tolerance": f"build/autopro --trace {STEPS} --tolerance 5% --replicates 49",
            "failures": f"build/campus --trace {CAMPUS} --windows 2 --failures 0.1%"
            " --picture build/window.svg",
        },
    ),
    *_named(
        "simulate",
        {
            "search": f"{SEARCH} --trace {QUERIES} --baselines seq,fix-2 {REPLAYS}",
            "held-out": f"{FM} --rate 36/s --baselines none {REPLAYS}",
            "finance": f"examples/finance/service.yaml --baselines tl {REPLAYS}",
            "elfen": f"examples/elfen/service.yaml --rate 40/s --baselines first {REPLAYS}",
            "rubik": f"{RUBIK} --rate 960/s --baselines first {REPLAYS}",
            "joint": f"examples/joint/service.yaml --rate 30/s --baselines first {REPLAYS}",
            "campus": f"{CAMPUS} --windows 2",
            "greenpar": f"{CLUSTER} --windows 2",
            "autopro": f"{SHARES} --trace {STEPS} --replicates 49",
        },
    ),
    Run(
        "report-judged",
        f"report {ON_LUCENE} --rate 36/s --baselines first -o build/judged.html --plot",
    ),
    Run(
        "inspect-plan-pictures",
        "inspect build/campus --picture build/power.svg"
        " --jobs-picture build/jobs.svg --zone America/Denver",
    ),
)

COMPARED = _named(
    "diff",
    {
        "search": f"build/search {VECTORS}/lucene --exit-code",
        "witnesses": f"{VECTORS}/lucene build/lucene-fm --witnesses build/witnesses.yaml",
        "lucene-fm": "build/lucene-fm build/dual",
        "released": f"{VECTORS}/lucene.tailc schemas/released/1.0/lucene.json --exit-code",
        "lucene-fm-replayed": f"build/lucene-fm build/dual --trace {LUCENE} {REPLAYS} --rate 36/s",
        "overload": f"build/cut-off build/degrade --trace {LUCENE} {REPLAYS} --rate 36/s",
        "budgets": f"build/lucene-fm build/dual --trace {LUCENE} {REPLAYS} --rate 36/s"
        " --budgets examples/lucene-fm/several-slos.yaml --report build/change.html",
        "bursty": f"build/tuned build/tuned-bursts --trace {LUCENE} {REPLAYS} --rate 36/s"
        " --arrivals bursty:idc=8,spell=2s",
        "cores": f"build/no-control build/least-tail --trace {LUCENE_SLOW} {REPLAYS} --rate 25/s",
        "controller": "build/no-control build/lucene-as2f"
        f" --trace {LUCENE_SLOW} {REPLAYS} --rate 25/s",
        "finance": "build/finance build/tuned-energy",
        "joint": f"build/joint build/joint-tail --trace {LUCENE} {REPLAYS} --rate 30/s",
        "lanes": f"build/elfen build/lane-tuned --trace {LANES} {REPLAYS} --rate 40/s",
        "rubik": "build/rubik build/no-feedback",
        "rubik-replayed": "build/rubik build/joint-distribution"
        f" --trace {CYCLES} {REPLAYS} --rate 960/s",
        "autopro": "build/autopro build/observer",
        "autopro-replayed": f"build/autopro build/observer --trace {STEPS} --replicates 49",
        "campus": "build/campus build/anneal",
        "campus-replayed": f"build/campus build/last-hour --trace {CAMPUS} --windows 2",
        "greenpar": "build/greenpar build/cluster-battery",
        "greenpar-replayed": f"build/greenpar build/cluster-weights --trace {CLUSTER} --windows 2",
        "kinds": "build/lucene-fm build/campus",
    },
)

PLAN_AT = "--at 2026-06-16T18:05Z"
ASKED = (
    *_named(
        "lookup",
        {
            "search": "build/search --in-system 2 --age 20ms",
            "lucene-fm-waiting": "build/lucene-fm --in-system 24 --waited 5ms",
            "lucene-fm-many": "build/lucene-fm --in-system 200",
            "overload": "build/cut-off --in-system 60 --age 80ms",
            "controller": "build/lucene-as2f --in-system 11 --age 60ms --measured 260ms"
            " --measured 255ms --rate 60/s",
            "scaled": "build/lucene-as2f --in-system 11 --age 60ms --scale 40% --measured 210ms"
            " --rate 25/s",
            "joint": "build/joint --in-system 12 --age 100ms",
            "elfen": "build/elfen --rate 40/s --age 30ms",
            "classes": f"{VECTORS}/classes --in-system 3 --class short",
            "rubik": "build/rubik --held 1ms --held 0.6ms --cycles 300000 --memory 50us",
            "autopro": "build/autopro --throughput 400/s,3500/s --throughput 450/s,3500/s",
            "campus": f"build/campus {PLAN_AT}",
            "campus-price": f"build/campus {PLAN_AT} --width 8 --epochs 12 --green 50%",
            "campus-pool": f"build/campus-battery {PLAN_AT} --pool 'rack 9'",
            "greenpar": "build/greenpar --at 2012-07-05T10:05-06:00 --job job-85",
            "greenpar-price": "build/greenpar --at 2012-07-05T20:05-06:00"
            " --width 4 --epochs 8 --width 8 --epochs 5",
            "nothing": "build/missing --in-system 1",
        },
    ),
    *_named(
        "why",
        {
            "lucene-fm": "build/lucene-fm --in-system 12 --age 82ms",
            "lucene-fm-replayed": "build/lucene-fm --in-system 12 --age 82ms"
            f" --trace {LUCENE} --rate 36/s --requests 1000",
            "tuned": f"build/tuned --in-system 12 --spec examples/lucene-fm/tuned.yaml"
            f" --trace {LUCENE} --requests 1000",
            "cores": "build/no-control --in-system 3 --age 100ms --rate 25/s --requests 1000"
            f" --trace {LUCENE_SLOW}",
            "joint": f"build/joint --in-system 12 --trace {LUCENE} --rate 30/s --requests 1000",
            "elfen": "build/lane-tuned --in-system 3",
            "rubik": "build/rubik --in-system 3",
        },
    ),
    *_named(
        "sweep",
        {
            "lucene-fm": f"{FM} --set server.cores=12,15 --set rates=[40/s]"
            " --set server.target_parallelism=16,24 --jobs 1 -o build/sweep.csv",
            "campus": f"{CAMPUS} --set battery.capacity=10kWh,40kWh --set battery.charge=5kW"
            " --set battery.discharge=5kW --jobs 1",
            "one-at-a-time": f"{CAMPUS} --set datacentre.racks=10,30 --set violations=5%"
            " --one-at-a-time --jobs 1",
            "kept": f"{RUBIK} --set server.cores=1,2 --jobs 1 --keep build/kept",
            "misspelled": f"{CAMPUS} --set datacentre.rakcs=10,20",
        },
    ),
)

SIZED = (
    Run("size-search", f"size build/search --trace {QUERIES} --fleet-rate 10000/s {REPLAYS}"),
    Run("size-several", f"size build/dual build/tuned --trace {LUCENE} --baselines none {REPLAYS}"),
    Run(
        "size-cores",
        f"size cores {CONFIGS}/dissertation-16s.yaml {CONFIGS}/dissertation-8s-1f.yaml"
        f" {CONFIGS}/dissertation-5s-1m-1f.yaml --rates 10/s,30/s --targets 175ms,250ms"
        " --requests 1000 -o build/cores.csv --picture build/cores.svg",
    ),
    Run(
        "size-colocation",
        "size colocation examples/rubik/colocated.yaml --total 100 --ratios 75:25,50:50"
        " --requests 1000 --picture build/supply.svg",
    ),
    Run(
        "size-colocation-servers",
        "size colocation examples/rubik/colocated.yaml --servers 50 --batch 20 --requests 1000",
    ),
)

FITTED = (
    Run("fit-power", "fit power examples/rubik/counters.csv --held-out 30%"),
    Run("fit-arrivals", f"fit arrivals {LOG} --time at_s --arrival-unit s --gaps keep"),
    Run("tune-pid", "tune pid --num 1 --den '1 1' --dead-time 1 --criterion load"),
    Run(
        "tune-pid-response",
        "tune pid docs/gallery/response.csv --structure pid --time-unit min --input-unit V"
        " --output-unit degC --report build/loop.html --picture build/loop.svg",
    ),
    Run(
        "tune-pid-sampled",
        "tune pid docs/gallery/response.csv --sample-time 1 --max-overshoot 2"
        " --criterion setpoint --max-sensitivity 1.4",
    ),
)

MADE_UP = "--measure demand-cpu --unit ms"
INGESTED = {
    "monday": "examples/web/monday.txt",
    "tuesday": "examples/web/tuesday.txt",
    "wednesday": "examples/web/wednesday.csv.gz --measure response-open",
    "wednesday-unsaid": "examples/web/wednesday.csv.gz",
    "thursday": "examples/web/thursday.csv.gz --measure response-open --percentile 99.9%",
    "closed": "examples/web/wednesday.csv.gz --measure response-closed --expected-interval 100ms",
    "table": f"{LOG} --column demand_ms {MADE_UP}",
    "both": "build/monday.profile build/tuesday.profile",
    "hey": f"{SAMPLES}/hey.csv --measure demand-busy --because 'one client was alone with it'",
    "oha": f"{SAMPLES}/oha.json --measure response-open",
    "vegeta": f"{SAMPLES}/vegeta.json --measure response-open",
    "k6": f"{SAMPLES}/k6.json --measure response-open",
    "otlp": f"{SAMPLES}/otlp.json --measure response-open",
    "spans": f"{SAMPLES}/spans.pb --service web --measure response-open --with-internal",
    "jaeger": f"{SAMPLES}/spans.jaeger.json --service web --measure response-open",
    "scrape": f"{SAMPLES}/prometheus.txt --since {SAMPLES}/prometheus.earlier.txt"
    " --measure response-open",
    "range": f"{SAMPLES}/prometheus.native.range.json --measure response-open",
    "hdr": f"{SAMPLES}/jHiccup-2.0.6.logV1.hlog --unit ns --measure response-open",
    "map": "examples/tokens.csv --columns examples/maps/azure-llm.yaml",
}
LINTED = {
    "search": f"--spec {SEARCH}",
    "autopro": f"--spec {SHARES}",
    "campus": f"--spec {CAMPUS}",
    "greenpar": f"--spec {CLUSTER}",
    "rubik": f"--spec {RUBIK}",
    "log": f"{LOG} --time at_s --time-unit s --column demand_ms --unit ms --class class"
    " --percentile 99.9%",
    "files": f"{LUCENE} examples/green-sla/roof.csv examples/green-sla/jobs.swf.gz"
    " examples/web/monday.txt examples/missing.csv --ignore coarse-clock",
}
MEASURED = (
    *(
        Run(f"ingest-{name}", f"ingest {what} -o build/{name}.profile")
        for name, what in INGESTED.items()
    ),
    *_named("lint-trace", LINTED),
    Run(
        "init-web",
        "init build/monday.profile --cores 2 --slo 'p95 <= 50ms' --speedup 90% --rate 20/s"
        " --because 'one connection sent ten requests a second' --name web -o build/web.yaml",
    ),
    Run("compile-web", "compile build/web.yaml -o build/web"),
    Run("verify-web", f"verify build/web --trace build/tuesday.profile {REPLAYS}"),
    Run(
        "init-table",
        f"init {LUCENE} --cores 15 --slo 'p99 <= 600ms' --fan-out 4 --speedup 1,1.9,2.65,3.2"
        " --measure demand-busy --reference 'a made-up server' -o build/table.yaml",
    ),
    Run("split-lucene-fm", f"split {FM} -o build/lucene"),
    Run("split-nothing", f"split {SEARCH} -o build/queries"),
)

CODES = ("TC0105", "TC0207", "TC0266", "unit-in-cell", "TC9999")
LANGUAGES = {"c": "h", "cpp": "hpp", "go": "go", "java": "java", "rust": "rs"}
EVERY_SPEC = " ".join(
    sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("examples/**/*.yaml"))
)
WRITTEN = (
    Run("check-examples", f"check {EVERY_SPEC}"),
    Run("check-traces", f"check --with-trace {EVERY_SPEC}"),
    Run("check-misspelled", "check examples/lucene-fm/misspelled.yaml"),
    *(Run(f"explain-{code}", f"explain {code}") for code in CODES),
    Run("schema", "schema"),
    Run("config", "config lookup"),
    Run("test", "test examples/tests.txt --coverage"),
    *(Run(f"schema-{kind}", f"schema {kind}") for kind in sorted(DOCUMENT_MODELS)),
    *(
        Run(f"embed-{language}", f"embed build/lucene-fm --lang {language} -o build/Fm.{suffix}")
        for language, suffix in LANGUAGES.items()
    ),
    Run("embed-sealed", "embed build/lucene-fm --lang cpp --sealed --name fm -o build/sealed.hpp"),
    Run("embed-tails", "embed build/rubik --lang go -o build/tails.go"),
    Run(
        "compile-next",
        "compile examples/lucene-fm/dual.yaml -o build/next"
        " --previous build/lucene-fm --report build/next.html",
    ),
    Run("advance", "advance build/campus --to 2026-06-16T17:00Z -o build/state.json"),
    Run("replan", f"replan build/campus --spec {CAMPUS} --state build/state.json -o build/again"),
    Run("export", "export servers build/campus"),
    Run("fleet-compile", "fleet compile examples/llm-batching -o build/fleet --jobs 1"),
    Run("fleet-diff", "fleet diff build/fleet build/fleet --jobs 1"),
    Run("compile-dry", f"compile {FM} --dry-run --plot"),
    Run("compile-again", "compile examples/lucene-fm/dual.yaml -o build/next --explain-rebuild"),
    Run("rollback", "rollback build/lucene-fm --over build/next -o build/back"),
    Run("fmt-diff", f"fmt --diff {EVERY_SPEC} examples/lucene-fm/dual.yaml"),
    Run("fmt-check", "fmt --check examples/lucene-fm/dual.yaml"),
    Run("fmt", "fmt examples/lucene-fm/dual.yaml"),
    Run("migrate-diff", f"migrate --diff schemas/released/1.0/lucene.json {FM}"),
    Run("migrate-stem", "migrate schemas/released/1.0/lucene.json -o build/migrated"),
    Run("migrate", "migrate schemas/released/1.3/lanes.json"),
)
