"""The policies that `bench.outputs` compiles: every kind, and every objective and method of each.

Budgets are small, since a changed output shows in a small search too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# Requests that a search on the replay simulates: about the fewest that tailc allows.
FEW = 7_500_000
SIMULATION = {"method": "simulation", "requests": FEW}

FM = "examples/lucene-fm/service.yaml"
FM_QUEUE = "examples/lucene-fm/queue.yaml"
FM_OVERLOAD = "examples/lucene-fm/overload.yaml"
AS2F = "examples/lucene-as2f/service.yaml"
TWO_TYPES = "examples/lucene-as2f/configs/dissertation-8s-1f.yaml"
THREE_TYPES = "examples/lucene-as2f/configs/dissertation-5s-1m-1f.yaml"
DVFS = "examples/lucene-as2f/configs/micro-4-dvfs.yaml"
FINANCE = "examples/finance/service.yaml"
FINANCE_QUEUE = "examples/finance/queue.yaml"
JOINT = "examples/joint/service.yaml"
ELFEN = "examples/elfen/service.yaml"
RUBIK = "examples/rubik/service.yaml"
SHARES = "examples/autopro/service.yaml"
CLUSTER = "examples/greenpar/service.yaml"
CAMPUS = "examples/green-sla/campus.yaml"
TOKENS = "examples/llm-batching/service.yaml"

LUCENE = "examples/lucene-fm/demand.parquet"
LUCENE_SLOW = "examples/lucene-as2f/demand.parquet"
LANES = "examples/elfen/demand.parquet"
PRICES = "examples/finance/heldout.parquet"
CYCLES = "examples/rubik/heldout.parquet"
STEPS = "examples/autopro/heldout.csv"
# Requests with times and classes, which no example has; `bench.outputs` draws them.
LOG = "examples/log.csv"

# Replays in which every verdict has an interval, and no longer; with one baseline, or all.
REPLAYS = "--requests 1000 --replicates 49"
BESIDE_ONE = f"{REPLAYS} --baselines first"
RESAMPLES = "--replicates 49"
DAYS = "--windows 3"


@dataclass(frozen=True)
class Policy:
    """What `base` compiles to with other values at paths such as `search.step`; None: without it.

    It is verified on `trace`, where there is one.
    """

    name: str
    base: str
    values: Mapping[str, object] = field(default_factory=dict[str, object])
    options: str = ""
    trace: str | None = None
    judged: str = BESIDE_ONE

    @property
    def spec(self) -> str:
        """Path of its spec, in the folder of `base`, so that relative paths still hold."""
        folder = self.base.rpartition("/")[0]
        return f"{folder}/{self.name}.yaml" if self.values else self.base

    @property
    def stem(self) -> str:
        """What both files of the policy are named after."""
        return f"build/{self.name}"


LOGGED: Mapping[str, object] = {
    "demand": {
        "trace": "../log.csv",
        "column": "demand_ms",
        "unit": "ms",
        "measure": "demand-busy",
        "reference": "slow",
        "held_out": {"fraction": "30%", "by": "time", "column": "at_s"},
    }
}
DUAL: Mapping[str, object] = {"search": {"method": "dual"}}
TUNED: Mapping[str, object] = {
    "search.requests": FEW,
    "server.target_parallelism": 24,
    "rates": ["36/s"],
}
ROBUST: Mapping[str, object] = {"search.robust": {"resamples": 0}, "search.requests": 2 * FEW}
INTERFERENCE: Mapping[str, object] = {"lanes": {"interference": "33%"}}

FEW_TO_MANY = (
    Policy(
        "search",
        "examples/search/service.yaml",
        trace="examples/search/heldout.parquet",
        judged=REPLAYS,
    ),
    Policy("lucene-fm", FM, trace=LUCENE, judged=REPLAYS),
    Policy("bing-fm", "examples/bing-fm/service.yaml", trace="examples/bing-fm/demand.parquet"),
    Policy("no-data", "examples/lucene-server/spec.yaml"),
    Policy("misspelled", FM, {"server.croes": 15}),
    Policy("out-of-budget", FM, options="--max-evaluations 1000"),
    Policy("few-loads", FM, {"search.max_in_system": 10, "search.admit_on_departure": False}),
    Policy("dual", FM, DUAL),
    Policy("threads", FM, DUAL, "--objective threads", LUCENE),
    Policy("threads-by-grid", FM, options="--objective threads"),
    Policy(
        "too-tight",
        FM,
        {"slo": [{"percentile": "99%", "latency": "90ms"}], **DUAL},
        "--objective threads",
    ),
    Policy("sweep", FM, {**DUAL, "server.target_parallelism": [20, 24, 28]}),
    Policy(
        "several-slos",
        FM,
        {
            **DUAL,
            "slo": [
                {"percentile": "99%", "latency": "600ms", "window": "1000 requests"},
                {"percentile": "90%", "latency": "900ms", "fan_out": 10},
            ],
            "rates": ["20/s"],
            "budgets": {"p99": "1%", "mean": "2%", "threads": "1%"},
        },
        trace=LUCENE,
    ),
    Policy(
        "classes",
        FM,
        {
            **LOGGED,
            "search": {
                "method": "grid",
                "step": "50ms",
                "longest_interval": "400ms",
                "max_in_system": 8,
            },
            "speedup": {
                "classes": {
                    "column": "class",
                    "curves": {"a": [1, 1.7, 2.1], "b": [1, 1.9, 2.8]},
                }
            },
            "slo": [
                {"percentile": "99%", "latency": "600ms"},
                {"percentile": "95%", "latency": "600ms", "class": "a"},
            ],
            "rates": ["20/s"],
        },
        trace=LOG,
    ),
    Policy("stands", FM, {**DUAL, "rates": ["30/s"]}, "--robust"),
    Policy("tuned", FM_QUEUE, TUNED, trace=LUCENE),
    Policy("tuned-robust", FM_QUEUE, {**TUNED, **ROBUST}),
    Policy(
        "tuned-rate",
        FM_QUEUE,
        {
            **TUNED,
            "search.objective": "rate",
            "search.requests": 2 * FEW,
            "rates": ["20/s", "57/s"],
        },
    ),
    Policy(
        "tuned-bursts",
        FM_QUEUE,
        {**TUNED, "search.bursts": {"idc": 8, "spell": "2s"}},
        trace=LUCENE,
    ),
    Policy("tuned-diurnal", FM_QUEUE, {**TUNED, "search.diurnal": [0.75, 1.25]}),
    Policy(
        "tuned-recorded",
        FM_QUEUE,
        {
            **TUNED,
            **LOGGED,
            "search.recorded": {"column": "at_s", "unit": "s", "gaps": "close"},
            "rates": ["20/s"],
        },
    ),
    Policy(
        "tuned-optional-rules",
        FM_QUEUE,
        {
            **TUNED,
            "search.optional_rules": ["start-below", "give-up", "may-descend"],
            "search.requests": 2 * FEW,
        },
        trace=LUCENE,
    ),
    *(
        Policy(
            rule,
            FM_OVERLOAD,
            {"rates": ["36/s"], "overload": {"rates": ["77/s"], "allow": [rule], **how}},
            trace=LUCENE,
        )
        for rule, how in {
            "shed": {},
            "cut-off": {},
            "degrade": {"degrade": {"work": "50%"}},
        }.items()
    ),
)

SLOW_TO_FAST = (
    Policy("lucene-as2f", AS2F, trace=LUCENE_SLOW, judged=REPLAYS),
    Policy("three-types", THREE_TYPES, trace=LUCENE_SLOW),
    Policy("dvfs", DVFS, trace=LUCENE_SLOW),
    Policy("pid", TWO_TYPES, {"control": {"structure": "pid", "intervals": 2}}, trace=LUCENE_SLOW),
    Policy("gains", TWO_TYPES, {"control": {"boundaries": ["20/s"], "gains": [{"ki": 0.1}] * 2}}),
    Policy("no-control", AS2F, {"control": "off"}),
    Policy("convex", AS2F, {"control": "off"}, "--method convex"),
    Policy("least-tail", AS2F, {"control": "off", "search.objective": "tail"}),
    Policy("efficiency", AS2F, {"control": "off", "search.objective": "efficiency"}),
    Policy("stands-cores", TWO_TYPES, {"control": "off", "rates": ["10/s"]}, "--robust"),
    *(
        Policy(
            f"own-speeds-{name}",
            AS2F,
            {
                **LOGGED,
                "control": "off",
                "speedup": {"classes": {"column": "class", "curves": {"a": [1, 1.6], "b": [1, 2]}}},
                "slo": [{"percentile": "95%", "latency": "600ms"}],
                "search": search,
                "rates": ["10/s"],
            },
            trace=LOG,
        )
        for name, search in {
            "grid": {"method": "grid", "step": "20ms"},
            "mip": {"method": "mip"},
        }.items()
    ),
    Policy("finance", FINANCE, trace=PRICES, judged=REPLAYS),
    Policy("tuned-energy", FINANCE_QUEUE, {"search.requests": FEW}, trace=PRICES),
    Policy("tuned-tail", FINANCE_QUEUE, {"search.objective": "tail", "search.requests": FEW}),
    Policy("tuned-cores", FINANCE_QUEUE, {**ROBUST, "rates": ["20/s"]}),
    Policy(
        "tuned-highest",
        FINANCE_QUEUE,
        {
            "search.objective": "rate",
            "search.requests": 2 * FEW,
            "rates": ["20/s", "150/s"],
        },
    ),
    Policy("tuned-clocks", DVFS, {"search": SIMULATION, "rates": ["25/s"]}),
)

OF_JOINT_LANES: Mapping[str, object] = {
    "target": None,
    "demand.trace": "../elfen/demand.parquet",
    "demand.reference": "a core whose other lane is idle",
    "slo": [{"percentile": "99%", "latency": "30ms"}],
    **INTERFERENCE,
    "cores": {"types": [{"name": "smt", "count": 8, "speed": 1, "power": 1}]},
    "server": {"quantum": "1ms"},
}
JOINT_LADDER = (
    Policy("joint", JOINT, trace=LUCENE, judged=REPLAYS),
    Policy("joint-tail", JOINT, {"search.objective": "tail", "target": None}),
    Policy(
        "joint-sweep",
        JOINT,
        {"search.objective": "tail", "target": None, "server.target_power": [80, 102]},
    ),
    Policy(
        "joint-types",
        JOINT,
        {
            "cores": {
                "power_from": "micro-2017-amp",
                "types": [{"speed": 1, "count": 20}, {"speed": 2, "count": 12}],
            },
            "demand.reference": "a core of speed 2",
            "server.peak_power": None,
        },
        trace=LUCENE,
    ),
    Policy(
        "joint-lanes",
        JOINT,
        {**OF_JOINT_LANES, "search.objective": "batch", "rates": ["160/s"]},
        trace=LANES,
    ),
    *(
        Policy(
            f"joint-tuned-{objective}",
            JOINT,
            {
                **more,
                "search": {**SIMULATION, "objective": objective},
                "rates": [rate],
            },
            trace=trace,
        )
        for objective, more, rate, trace in (
            ("tail", {"target": None}, "30/s", None),
            ("energy", {}, "30/s", LUCENE),
            ("batch", OF_JOINT_LANES, "320/s", None),
        )
    ),
)

ELFEN_POLICIES = (
    Policy("elfen", ELFEN, trace=LANES, judged=REPLAYS),
    *(
        Policy(f"lane-{who}", ELFEN, {"policy": who, "rates": ["20/s", "60/s"], **how}, trace=trace)
        for who, how, trace in (
            ("borrow-idle", {"budget": None, **INTERFERENCE}, None),
            ("fixed", {"budget": "40ms", "lanes.wake": "50us"}, None),
            ("refresh", {"budget": None, "lanes": {"ipc": {"alone": 1.2, "shared": 0.8}}}, None),
            ("dynamic", {"budget": None, "charge": "harm", **INTERFERENCE}, LANES),
            ("optimised", {"budget": None, **INTERFERENCE, "rates": ["40/s"]}, LANES),
        )
    ),
    Policy(
        "lane-tuned",
        ELFEN,
        {"search": SIMULATION, **INTERFERENCE, "rates": ["80/s"]},
        trace=LANES,
    ),
)

FREQUENCIES = (
    Policy("rubik", RUBIK, trace=CYCLES, judged=f"{REPLAYS} --rate 480/s"),
    Policy("colocated", "examples/rubik/colocated.yaml", trace=CYCLES),
    Policy("specjbb", "examples/rubik/configs/specjbb.yaml"),
    Policy("no-feedback", RUBIK, {"feedback": "off"}, trace=CYCLES),
    Policy("joint-distribution", RUBIK, {"table": {"distribution": "joint", "rows": 4}}),
    Policy("pairs", RUBIK, {"batch": {"memory": "40%"}}),
    Policy("climbed", RUBIK, {"batch": {"memory": "40%", "search": "hill-climbing"}}),
    Policy(
        "tuned-entries",
        RUBIK,
        {"search": SIMULATION, "rates": ["1200/s"]},
        trace=CYCLES,
    ),
)

SHARES_OF_A_HOST = (
    Policy("autopro", SHARES, trace=STEPS, judged=RESAMPLES),
    Policy("observer", SHARES, {"control": {"law": "observer"}}, trace=STEPS, judged=RESAMPLES),
)

BATTERY = {"capacity": "40kWh", "charge": "10kW", "discharge": "10kW"}
WEIGHTS = {"money": 1, "carbon": "80USD/t"}
PLANS = (
    Policy("greenpar", CLUSTER, trace=CLUSTER, judged=DAYS),
    Policy(
        "cluster-battery",
        CLUSTER,
        {"battery": BATTERY, "deferral": "2h", "horizon.known_jobs": "past"},
        trace="examples/greenpar/cluster-battery.yaml",
        judged=DAYS,
    ),
    Policy("cluster-weights", CLUSTER, {"weights": WEIGHTS, "run_time": {"beta": 2}}),
    Policy(
        "cluster-mip",
        CLUSTER,
        {
            "search": {"method": "mip", "nodes": 5},
            "horizon.length": "4h",
            "horizon.known_jobs": "past",
        },
    ),
    Policy("campus", CAMPUS, trace=CAMPUS, judged=DAYS),
    Policy(
        "campus-battery",
        CAMPUS,
        {"battery": BATTERY, "horizon.length": "24h"},
        trace="examples/green-sla/campus-battery.yaml",
        judged=DAYS,
    ),
    Policy("anneal", CAMPUS, {"search": {"method": "anneal", "steps": 20}, "deferral": "2h"}),
    Policy("campus-mip", CAMPUS, {"search": {"method": "mip", "nodes": 5}, "horizon.length": "4h"}),
    Policy("last-hour", CAMPUS, {"supply.forecast": {"method": "last-hour"}}),
    Policy("known-jobs", CAMPUS, {"horizon.known_jobs": "all", "horizon.length": "24h"}),
    Policy(
        "clear-sky",
        CAMPUS,
        {
            "supply.forecast.method": "clear-sky",
            "supply.forecast.panels": {"latitude": 40, "longitude": -105, "tilt": 30},
            "supply.forecast.conservatism": "80%",
            "weights": WEIGHTS,
        },
    ),
    Policy("scenarios", CAMPUS, {"supply.forecast.scenarios": {"count": 5}}),
)

LLM_BATCHING = (
    Policy("llm-batching", TOKENS, trace="examples/llm-batching/heldout.csv", judged=RESAMPLES),
    Policy("llm-one-step", TOKENS, {"search": {"method": "one-step"}}),
)

POLICIES = (
    *LLM_BATCHING,
    *FEW_TO_MANY,
    *SLOW_TO_FAST,
    *JOINT_LADDER,
    *ELFEN_POLICIES,
    *FREQUENCIES,
    *SHARES_OF_A_HOST,
    *PLANS,
)
