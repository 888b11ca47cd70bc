"""Run a policy and static token budgets in vLLM, and compare with what tailc predicts.

    make demo-llm

`make` runs this file with the Python that has vLLM; `tailc` runs with the one of the repository.
The script measures the iterations of the engine, scales a trace to this machine, compiles a policy,
lets the running engine reload it, and replays requests with each budget. Time is a model clock: an
iteration ends after the time that the policy's model has for what the engine really batched. So
results do not depend on other programs on this machine. Processor time is real.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iterations import Step
from step_times import StepTimes
from vllm_engine import BLOCK, Engine, Request, Run

HERE = Path(__file__).resolve().parent
FIRST_POLICY = HERE.parent / "llm-batching" / "expected.json"
"""What the engine starts with, until it reloads the compiled policy."""
BUDGETS = (64, 128, 256, 512)
MOST_TOKENS, MOST_SEQUENCES = 512, 32
PART = 8
"""Prompts and outputs of the trace are divided by this number."""
UTILIZATION = 0.85
TYPICAL = Step(192, 8, 8 * 128)
"""An iteration whose time is the limit between tokens, and whose batch is typical."""
PERCENTILE = 99
MS = 1_000_000


HEADER = (
    "  budget   TTFT [ms]     in vLLM    ITL [ms]     in vLLM  equal iterations  CPU [s]  model [s]"
)


@dataclass(frozen=True)
class Tools:
    """The Python with tailc, and the folder of all files."""

    python: Path
    folder: Path

    def run(self, *words: object) -> str:
        """The output of a Python program with tailc; it must succeed."""
        command = [str(self.python), *map(str, words)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


@dataclass(frozen=True)
class Comparison:
    """A run in the engine next to its prediction: percentiles [ms], and equal iterations."""

    name: str
    ttft_ms: tuple[float, float]
    itl_ms: tuple[float, float]
    equal_steps: int
    steps: int
    cpu_s: float
    model_s: float

    def line(self) -> str:
        """A row of the table."""
        tails = "  ".join(f"{one:10,.1f}" for one in (*self.ttft_ms, *self.itl_ms))
        equal = f"{self.equal_steps:,} of {self.steps:,}"
        return f"{self.name:>8}  {tails}  {equal:>16}  {self.cpu_s:7.1f}  {self.model_s:9.1f}"


def main() -> None:
    """Run all of it, and print a table."""
    options = parsed()
    options.folder.mkdir(parents=True, exist_ok=True)
    tools = Tools(options.tailc_python, options.folder)
    in_force = tools.folder / "policy.json"
    shutil.copy(FIRST_POLICY, in_force)
    engine = Engine(tools.folder, in_force, MOST_TOKENS, MOST_SEQUENCES)
    profile = list(engine.profile())
    if options.kv_blocks is not None:
        engine.limit_blocks(options.kv_blocks)
    write_profile(tools.folder / "steps.csv", profile)
    tools.run(HERE / "scaled_trace.py", options.trace, PART, tools.folder)
    rate = rate_of(profile, requests_in(tools.folder / "heldout.csv"))
    write_spec(tools.folder / "service.yaml", profile, rate, engine.kv_blocks)
    compiled = tools.folder / "chat.tailc"
    tools.run("-m", "tailc", "compile", tools.folder / "service.yaml", "-o", compiled)
    reload_policy(engine, compiled.with_suffix(".json"), in_force)
    predicted = prediction(tools, compiled, rate)
    clock = StepTimes(in_force)
    requests = [Request(*row) for row in predicted["requests"]]
    print(f"{len(requests)} requests at {rate:g}/s; p{PERCENTILE}, predicted and in the engine\n")
    print(HEADER)
    for name in ("policy", *map(str, BUDGETS)):
        budget = None if name == "policy" else int(name)
        run = engine.replay(requests, clock.ns, budget)
        print(compared(name, predicted["runs"][name], run, clock).line(), flush=True)


def parsed() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description="Token budgets in vLLM, and as predicted.")
    parser.add_argument("--tailc-python", type=Path, required=True, help="Python with tailc")
    parser.add_argument("--trace", type=Path, required=True, help="trace: see scaled_trace.py")
    parser.add_argument("--folder", type=Path, default=Path("build/llm-server"))
    parser.add_argument("--kv-blocks", type=int, help="leave only so few blocks of the cache")
    return parser.parse_args()


def write_profile(path: Path, profile: Iterable[tuple[Step, float]]) -> None:
    """Write measured iterations as `engine.steps` of a spec reads them."""
    lines = [f"{','.join(map(str, step))},{ms:.4f}" for step, ms in profile]
    path.write_text("\n".join(["prompt,decoding,context,time", *lines]) + "\n", encoding="utf-8")


def requests_in(trace: Path) -> list[tuple[int, int]]:
    """Tokens of prompt and output of each request."""
    with trace.open(encoding="utf-8", newline="") as lines:
        return [(int(row["prompt"]), int(row["output"])) for row in csv.DictReader(lines)]


def rate_of(profile: Sequence[tuple[Step, float]], requests: Sequence[tuple[int, int]]) -> float:
    """The rate [1/s] that uses about UTILIZATION of the engine, with two digits."""
    times = dict(profile)
    alone_ms = times[nearest(profile, TYPICAL._replace(prompt=0))]
    prompt_ms = (times[nearest(profile, TYPICAL)] - alone_ms) / TYPICAL.prompt
    prompt, output = (sum(column) / len(requests) for column in zip(*requests, strict=True))
    request_ms = prompt * prompt_ms + output * alone_ms / TYPICAL.decoding
    return float(f"{1e3 * UTILIZATION / request_ms:.2g}")


def nearest(profile: Sequence[tuple[Step, float]], wanted: Step) -> Step:
    """The measured iteration of that prompt and number of sequences with the nearest context."""
    alike = (step for step, _ in profile if step[:2] == wanted[:2])
    return min(alike, key=lambda step: abs(step.context - wanted.context))


def write_spec(
    path: Path, profile: Sequence[tuple[Step, float]], rate: float, kv_blocks: int
) -> None:
    """Write the spec of the policy."""
    limit_ms = round(dict(profile)[nearest(profile, TYPICAL)])
    path.write_text(
        f"""apiVersion: tailc/v1
kind: llm-batching
name: chat
slo:
  - {{metric: ttft, percentile: {PERCENTILE}%, latency: 5s}}
  - {{metric: itl, percentile: {PERCENTILE}%, latency: {limit_ms}ms}}
allow_misses: true
tokens:
  trace: design.csv
  reference: "a public trace, scaled to this machine"
engine:
  steps: {{file: steps.csv, context: context}}
  kv_blocks: {kv_blocks}
  block: {BLOCK}
  max_sequences: {MOST_SEQUENCES}
  max_budget: {MOST_TOKENS}
rates: [{rate:g}/s]
""",
        encoding="utf-8",
    )


def reload_policy(engine: Engine, compiled: Path, in_force: Path) -> None:
    """Replace the policy of the running engine, as a deployment does."""
    compiled.replace(in_force)
    engine.scheduler.policy.check()
    wanted = json.loads(in_force.read_bytes())["policy_digest"]
    assert engine.scheduler.policy.current.policy_digest == wanted


def prediction(tools: Tools, policy: Path, rate: float) -> dict[str, Any]:
    """What tailc predicts of the policy and the static budgets."""
    trace, budgets = tools.folder / "heldout.csv", ",".join(map(str, BUDGETS))
    return json.loads(tools.run(HERE / "predict.py", policy, trace, rate, budgets))


def compared(name: str, predicted: dict[str, Any], run: Run, clock: StepTimes) -> Comparison:
    """A run next to its prediction."""
    steps = [tuple(step) for step in predicted["steps"]]
    equal = sum(step == other for step, other in zip(run.steps, steps, strict=False))
    return Comparison(
        name,
        (tail_ms(predicted["ttft_ns"]), tail_ms(run.ttft_ns)),
        (tail_ms(predicted["gap_ns"]), tail_ms(run.gap_ns)),
        equal,
        max(len(steps), len(run.steps)),
        run.cpu_s,
        sum(clock.ns(*step) for step in run.steps) / 1e9,
    )


def tail_ms(values_ns: Sequence[int]) -> float:
    """The percentile, an order statistic [ms]."""
    return sorted(values_ns)[math.ceil(PERCENTILE / 100 * len(values_ns)) - 1] / MS


if __name__ == "__main__":
    main()
