"""Public search-engine timings, compiled and verified; they are found through TAILC_DATA."""

import json
import os
from pathlib import Path

import pytest

DATA = os.environ.get("TAILC_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="TAILC_DATA does not name the public traces")

SPEC = """\
apiVersion: tailc/v1
kind: few-to-many
name: search-latency
slo: [{{percentile: 95%, latency: {latency}}}]
demand:
  trace: {trace}
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: one thread of {engine}
  where: {{engine: {engine}, command: {command}}}
  held_out: {{fraction: 45%, by: hash, column: query_id}}
speedup:
  name: our reading of "almost linear at 2, less effective to 4"
  curve: [1, 1.9, 2.65, 3.2]
server: {{cores: 8, target_parallelism: 12, quantum: 1ms}}
rates: [{rate}]
"""

# The default method tries many tables, and does so once.
DUAL = "search: {method: dual}\n"
RUNS = [
    ("runs_2025-09-16.parquet", "lucene-10.3.0", "TOP_100_COUNT", "60ms", "200/s", ""),
    ("runs_2025-09-16.parquet", "tantivy-0.24", "TOP_10", "60ms", "300/s", DUAL),
    ("runs_2019-09-26_50rep.parquet", "lucene-8.0.0", "TOP_10_COUNT", "80ms", "200/s", DUAL),
]


@pytest.mark.parametrize(("file", "engine", "command", "latency", "rate", "search"), RUNS)
def test_a_measured_engine_compiles_and_passes(
    in_folder, tailc, file, engine, command, latency, rate, search
):
    trace = Path(str(DATA)).resolve() / "search-latency" / file
    named = {"trace": trace, "engine": engine, "command": command}
    Path("engine.yaml").write_text(SPEC.format(latency=latency, rate=rate, **named) + search)
    compiled = tailc("compile", "engine.yaml", "-o", "engine", "--output-format", "json")
    assert compiled.code == 0, compiled.err
    policy = json.loads(compiled.out)["result"]["policy"]
    requests = {part["role"]: part["requests"] for part in policy["inputs"]}
    # Each engine ran about 900 queries; the hash holds out about 45 %.
    assert requests["design"] + requests["held-out"] == requests["whole"]
    assert 0.35 < requests["held-out"] / requests["whole"] < 0.55
    words = ("--baselines", "none", "--output-format", "json")
    verified = tailc("verify", "engine.tailc", "--trace", trace, *words)
    result = json.loads(verified.out)["result"]
    assert result["held_out"]["requests"] == requests["held-out"]
    assert (verified.code, result["verdict"]) == (0, "pass")
