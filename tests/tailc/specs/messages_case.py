"""Helpers of test_messages.py that other tests use too."""

from tests.tailc.specs.writing import GOOD, swapped

_CURVE = "speedup: [1, 1.9, 2.65, 3.2]"
_SERVER = "server: {cores: 15, target_parallelism: 24, quantum: 5ms}"
_SLO = "slo: [{percentile: 99%, latency: 500ms}]"
_MEASURE = "measure: demand-busy"
_COLUMN = "  column: demand_ms\n"
_FOR_GOLD = "}, {percentile: 95%, latency: 200ms, class: gold}]"
_CLASSES = "speedup: {classes: {column: type, curves: {golden: [1, 2], iron: [1, 1.5]}}}"
_RATES = "rates: [30/s, 40/s, 44/s]"
_LAUGHS = "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 9)
)
BROKEN = {
    "unknown key at the top": swapped(("rates:", "rate:")),
    "unknown key in a block": swapped(("  column: demand_ms", "  colunm: demand_ms")),
    "unknown key in braces": swapped(("target_parallelism", "target_paralelism")),
    "unknown key like no other": GOOD + "zebra: 1\n",
    "unknown key with nothing": swapped(("  unit: ms", "  unit: ms\n  colour:")),
    "missing key at the top": swapped(("name: websearch-isn\n", "")),
    "missing block": swapped((_SERVER + "\n", "")),
    "slo of a class": swapped((_SLO, _SLO.replace("}]", ", class: gold}]"))),
    "slo of a class where there are none": swapped((_SLO, _SLO.replace("}]", _FOR_GOLD))),
    "slo of another class": swapped((_SLO, _SLO.replace("}]", _FOR_GOLD)), (_CURVE, _CLASSES)),
    "a metric that is not known": swapped((_SLO, _SLO.replace("{", "{metric: latancy, "))),
    "servers that must never be late": swapped(
        (_SLO, _SLO.replace("99%", "99.9%").replace("}]", ", fan_out: 10000}]"))
    ),
    "a budget of no quantity": GOOD + "budgets: {p99: 1%, latency: 2%}\n",
    "a budget of no percentile": GOOD + "budgets: {p0: 1%}\n",
    "a budget without a unit": GOOD + "budgets: {p99: 0.01}\n",
    "servers in a fraction": swapped((_SLO, _SLO.replace("}]", ", fan_out: 2.5}]"))),
    "more rows than there may be": swapped(("target_parallelism: 24", "target_parallelism: 20000")),
    "missing key in a block": swapped(("  unit: ms\n", "")),
    "missing keys in a list": swapped((_SLO, "slo:\n  - class: gold")),
    "missing reference": swapped(("  reference: 1 thread of a Xeon 8488C at 2.4 GHz\n", "")),
    "no unit on a duration": swapped(("latency: 500ms", "latency: 500")),
    "no unit on a percentile": swapped(("percentile: 99%", "percentile: 0.99")),
    "no unit on a rate": swapped(("40/s", "40")),
    "no unit on a window": swapped((_SLO, _SLO.replace("}]", ", window: 2000}]"))),
    "wrong unit on a duration": swapped(("quantum: 5ms", "quantum: 5%")),
    "misspelled unit": swapped(("latency: 500ms", "latency: 500 msec")),
    "rate in rps": swapped(("40/s", "40rps")),
    "too fine": swapped(("quantum: 5ms", "quantum: 0.5us")),
    "rate not on the grid": swapped(("40/s", "1/min")),
    "too large": swapped(("latency: 500ms", "latency: 99999999999h")),
    "zero": swapped(("quantum: 5ms", "quantum: 0ms")),
    "negative": swapped(("latency: 500ms", "latency: -5ms")),
    "percentile of 100": swapped(("99%", "100%")),
    "text for a duration": swapped(("latency: 500ms", "latency: soon")),
    "list for a duration": swapped(("latency: 500ms", "latency: [500ms]")),
    "nothing for a duration": swapped((_SLO, "slo:\n  - percentile: 99%\n    latency:")),
    "nothing for a choice": swapped(("unit: ms", "unit:")),
    "no space after a key": swapped(("latency: 500ms", "latency:500ms")),
    "text for a number": swapped(("cores: 15", "cores: many")),
    "fraction for a whole number": swapped(("cores: 15", "cores: 15.5")),
    "truth for a number": swapped(("target_parallelism: 24", "target_parallelism: true")),
    "too few cores": swapped(("cores: 15", "cores: 0")),
    "too many cores": swapped(("cores: 15", "cores: 1000000")),
    "yes for a truth": swapped(("quantum: 5ms", "boosting: yes")),
    "number for text": swapped(("column: demand_ms", "column: 5")),
    "number in digits of its own": swapped(("websearch-isn", "1e3")),
    "number that is no name either": swapped(("websearch-isn", "-1.5")),
    "number of another base": swapped(("column: demand_ms", "column: 0x10")),
    "empty text": swapped(("column: demand_ms", 'column: ""')),
    "bad name": swapped(("websearch-isn", "Web Search")),
    "unknown choice": swapped((_MEASURE, "measure: demand-cpus")),
    "choice like no other": GOOD + "search: {method: simplex}\n",
    "mapping for a list": swapped((_SLO, "slo: {percentile: 99%, latency: 500ms}")),
    "list for a mapping": swapped((_SERVER, "server: [15, 24]")),
    "empty list": swapped((_SLO, "slo: []")),
    "empty mapping": swapped((_SERVER, "server: {}")),
    "speed-up that is no number": swapped(("1.9", "fast")),
    "speed-up that is not positive": swapped(("1.9", "-1.9")),
    "infinite speed-up": swapped(("1.9", ".inf")),
    "no speed-up": swapped((_CURVE + "\n", "")),
    "empty speed-up": swapped((_CURVE, "speedup: {name: PARSEC bodytrack}")),
    "two speed-ups": swapped((_CURVE, "speedup: {curve: [1, 2], columns: [s1, s2]}")),
    "speed-up and timings": swapped(
        (_COLUMN, "  timings: {request: id, degree: threads, duration: time_ms}\n")
    ),
    "column and timings": swapped(
        (_COLUMN, _COLUMN + "  timings: {request: id, degree: threads, duration: time_ms}\n"),
        (_CURVE + "\n", ""),
    ),
    "neither column nor timings": swapped((_COLUMN, "")),
    "classes of unequal length": swapped(
        (
            _CURVE,
            "speedup:\n  classes:\n    column: type\n    curves:\n"
            "      term: [1, 1.5, 1.7]\n      phrase: [1, 1.9]",
        )
    ),
    "one class": swapped((_CURVE, "speedup: {classes: {column: type, curves: {term: [1, 2]}}}")),
    "max_degree beyond the curve": swapped(("quantum: 5ms", "max_degree: 6")),
    "response time": swapped((_MEASURE, "measure: response-open")),
    "response time for a short reason": swapped(
        (_MEASURE, "measure: response-open\n  response_time_because: it is fine")
    ),
    "reason without response time": swapped(
        (_MEASURE, _MEASURE + "\n  response_time_because: we measured an idle machine")
    ),
    "held out without column": swapped(
        (_COLUMN, _COLUMN + "  held_out: {fraction: 20%, by: time}\n")
    ),
    "held out without unit": swapped((_COLUMN, _COLUMN + "  held_out: 0.2\n")),
    "held out with a seed and a column": swapped(
        (_COLUMN, _COLUMN + "  held_out: {fraction: 20%, column: id}\n")
    ),
    "held out by hash with a seed": swapped(
        (_COLUMN, _COLUMN + "  held_out: {fraction: 20%, by: hash, column: id, seed: 3}\n")
    ),
    "step that does not divide": GOOD + "search:\n  step: 15ms\n  longest_interval: 100ms\n",
    "rate twice": swapped((_RATES, "rates: [30/s, 1800/min]")),
    "sweep without rates": swapped(
        ("target_parallelism: 24", "target_parallelism: [16, 24]"), (_RATES + "\n", "")
    ),
    "list in where": swapped((_COLUMN, _COLUMN + "  where: {shard: [1, 2]}\n")),
    "unknown kind": swapped(("kind: few-to-many", "kind: few-to-man")),
    "missing kind": swapped(("kind: few-to-many\n", "")),
    "kind without value": swapped(("kind: few-to-many", "kind:")),
    "kind that is a list": swapped(("kind: few-to-many", "kind: [few-to-many]")),
    "bare dash for standard input": swapped(("trace: traces/design.parquet", "trace: -")),
    "newer language": swapped(("tailc/v1", "tailc/v2")),
    "duplicate key": GOOD + "name: other\n",
    "tab": swapped(("  unit: ms", "\tunit: ms")),
    "colon in text": swapped(("1 thread of a Xeon", "Xeon: 1 thread")),
    "unclosed list": swapped((_RATES, "rates: [30/s, 40/s")),
    "unclosed quote": swapped(("websearch-isn", '"websearch-isn')),
    "bad indentation": swapped(("  unit: ms", "   unit: ms")),
    "key without colon": swapped(("name: websearch-isn", "name websearch-isn")),
    "merge key": swapped((_SERVER, "server:\n  <<: {cores: 15}\n  target_parallelism: 24")),
    "list as key": GOOD + "? [a, b]\n: 1\n",
    "tag": swapped(("cores: 15", "cores: !count 15")),
    "alias to nothing": swapped(("cores: 15", "cores: *cores")),
    "alias inside itself": GOOD + "search: &loop {method: *loop}\n",
    "alias bomb": GOOD + "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + _LAUGHS,
    "too deep": GOOD + "search: " + "[" * 70 + "]" * 70 + "\n",
    "huge number": swapped(("cores: 15", "cores: " + "9" * 50)),
    "control character": swapped(("websearch-isn", '"web\\0search"')),
    "two documents": GOOD + "---\n" + GOOD,
    "empty": "# nothing yet\n",
    "list at the top": "- apiVersion: tailc/v1\n",
    "YAML 1.1": "%YAML 1.1\n---\n" + GOOD,
    "many at once": swapped(
        ("percentile: 99%", "percentile: 99"),
        ("cores: 15", "core: 15"),
        ("40/s", "40 rps"),
        ("unit: ms", "unit: msec"),
    ),
}
