"""Compare token budgets with the best static ones on two public traces of language models.

    python -m bench.llm_batching [FOLDER]

The step times are a model, composed of measurements of different programs: 80 times the measured
time of a layer's dense operations and all-reduces (Llama 3 70B on 8 A100, Vidur), plus attention by
tokens of context (fitted to token times of Llama 2 70B on 8 A100, Splitwise). No iteration that
mixes prompts and decoding was measured. A table is compiled from the first part of a trace for
three rates, and judged on the second part. The specs and policies are written to FOLDER.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow.csv as pc
import pyarrow.parquet as pq

from tailc.artifact.envelope import Policy
from tailc.experiment.options import VerifyOptions
from tailc.experiment.token_replays import TokenExperiment, tail_us
from tailc.forms.budget_table import static_budget
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.models.token_batches.rule import STATIC_BUDGETS
from tailc.pipeline.compile import compile_policy
from tailc.studies.held_out_tokens import read_held_out_tokens
from tailc.traces.tokens import TokenTrace
from tailc.verify.tokens.judge import verify_tokens

DATA = Path(os.environ.get("TAILC_DATA", "data"))
LAYERS = 80
DEVICE, MODEL, DEGREE = "a100", "meta-llama/Meta-Llama-3-70B", 8
PROMPTS = (0, 64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384)
DECODING = (0, 1, 4, 16, 32, 64, 96, 128, 192, 256)
CONTEXTS = (0, 500, 1500)


@dataclass(frozen=True)
class Workload:
    """A trace, its SLOs and the rates of a table; beyond: rates for which it is not compiled, and
    which the best static budget just misses."""

    name: str
    ttft: str
    itl: str
    rates: tuple[str, ...]
    beyond: tuple[str, ...] = ()


WORKLOADS = (
    Workload("conv", "5s", "200ms", ("1.6/s", "2/s", "2.4/s"), ("2.85/s", "2.9/s")),
    Workload("code", "5s", "200ms", ("1/s", "1.5/s", "2/s")),
)
BASELINES = (
    *("best-static", "static-1024", "static-2048", "chunk-512", "prompts-first", "within-200ms"),
    *("shortest-1024", "clairvoyant"),
)


def main(folder: Path) -> None:
    """Print a table for each workload."""
    write_profile(folder / "steps.csv")
    for workload in WORKLOADS:
        policy = compiled(folder, workload)
        trace = DATA / f"azure-llm-2023/{workload.name}_example.parquet"
        held_out = read_held_out_tokens(policy, str(trace))
        print_rates(workload, policy, held_out)
        print_highest(workload, policy, held_out)


def write_profile(path: Path) -> None:
    """Write the composed times of iterations."""
    dense, attention = dense_ms(), attention_ms()
    lines = ["prompt,decoding,context,time"]
    for prompt in PROMPTS:
        for decoding in DECODING:
            for each in CONTEXTS:
                if prompt + decoding and (decoding or not each):
                    context = decoding * each
                    time = LAYERS * dense(prompt + decoding) + attention * context
                    lines.append(f"{prompt},{decoding},{context},{time:.4f}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def dense_ms() -> Callable[[int], float]:
    """Time of a layer without attention by its tokens; beyond the measured ones, in proportion."""
    table = pq.read_table(DATA / "speedup/tensor_parallel_layers.parquet").to_pydict()
    wanted = (DEVICE, MODEL, DEGREE)
    rows = sorted(
        (tokens, time)
        for *key, tokens, time in zip(
            *(table[name] for name in ("device", "model", "degree", "num_tokens", "total_ms")),
            strict=True,
        )
        if tuple(key) == wanted and time is not None
    )
    tokens, times = (np.array(column, float) for column in zip(*rows, strict=True))
    half = len(tokens) // 2
    slope = (times[-1] - times[half]) / (tokens[-1] - tokens[half])

    def time(count: int) -> float:
        return float(np.interp(count, tokens, times) + max(count - tokens[-1], 0.0) * slope)

    return time


def attention_ms() -> float:
    """Time of attention by tokens of context, from whole requests at several batch sizes."""
    table = pc.read_csv(DATA / "speedup/splitwise_perf_model.csv").to_pydict()
    columns = ("model", "hardware", "tensor_parallel", "batch_size", "prompt_size", "token_size")
    rows = [
        (batch, batch * (prompt + tokens / 2), time)
        for *key, batch, prompt, tokens, time in zip(
            *(table[name] for name in (*columns, "token_time")), strict=True
        )
        if tuple(key) == ("llama2-70b", "a100-80gb", DEGREE)
    ]
    batch, context, time = (np.array(column, float) for column in zip(*rows, strict=True))
    matrix = np.stack([np.ones_like(batch), batch, context], axis=1)
    return float(np.linalg.lstsq(matrix, time)[0][2])


def compiled(folder: Path, workload: Workload) -> Policy:
    """The policy of a workload, compiled with the default effort."""
    spec = folder / f"{workload.name}.yaml"
    trace = (DATA / f"azure-llm-2023/{workload.name}_compile.parquet").resolve()
    spec.write_text(
        f"""apiVersion: tailc/v1
kind: llm-batching
name: {workload.name}
slo:
  - {{metric: ttft, percentile: 99%, latency: {workload.ttft}}}
  - {{metric: itl, percentile: 99%, latency: {workload.itl}}}
tokens:
  trace: {trace}
  time: arrival_s
  prompt: ContextTokens
  output: GeneratedTokens
  reference: Azure, 2023
engine:
  steps: {{file: steps.csv, context: context}}
  kv_blocks: 20000
rates: [{", ".join(workload.rates)}]
""",
        encoding="utf-8",
    )
    return compile_policy(str(spec)).policy


def print_rates(workload: Workload, policy: Policy, held_out: TokenTrace) -> None:
    """Print percentiles of the policy and the baselines at each rate."""
    rates = (*policy.rates_mrps, *(round(1000 * float(one[:-2])) for one in workload.beyond))
    policy = replace(policy, rates_mrps=rates)
    verdicts = verify_tokens(policy, held_out, VerifyOptions(baselines=BASELINES, replicates=400))
    print(f"{workload.name}: p99 TTFT <= {workload.ttft}, p99 ITL <= {workload.itl}\n")
    print("| rate | scheduler | TTFT p99 [s] | table's change | ITL p99 [ms] | goodput |")
    print("|---|---|---:|---:|---:|---:|")
    for point in verdicts.points:
        for run in (point.policy, *point.baselines):
            change = ""
            if run.changes:
                numbers = (run.changes[0].ppm, run.changes[0].low_ppm, run.changes[0].high_ppm)
                middle, low, high = (f"{ppm / 1e4:+.1f}" for ppm in numbers)
                change = f"{middle} % ({low} .. {high})"
            name = "table" if run is point.policy else f"{run.name}, {run.note}"
            ttft, itl = run.tails
            print(
                f"| {point.rate_mrps / 1000:g}/s | {name} | {ttft.us / 1e6:.2f} | {change} | "
                f"{itl.us / 1e3:.0f} | {run.goodput_ppm / 1e4:.1f} % |"
            )
        bound_us, _none = point.bounds_us
        assert bound_us is not None
        print(f"| {point.rate_mrps / 1000:g}/s | no schedule below | {bound_us / 1e6:.2f} | | | |")
    print()


def print_highest(workload: Workload, policy: Policy, held_out: TokenTrace) -> None:
    """Print the highest rates at which the table and each static budget meet both SLOs."""
    assert policy.budget_table is not None
    engine = policy.budget_table.engine
    table = highest(policy, TokenScheduler("table", "", policy.budget_table), held_out)
    found = {
        tokens: highest(policy, TokenScheduler("", "", static_budget(engine, tokens)), held_out)
        for tokens in STATIC_BUDGETS
    }
    best = max(found, key=lambda tokens: found[tokens])
    gain = "" if not found[best] else f" ({100 * (table / found[best] - 1):+.1f} %)"
    print(
        f"highest rate on {workload.name}: table {table:.3f}/s, best static budget "
        f"{found[best]:.3f}/s with {best:,} tokens{gain}\n"
    )


def highest(policy: Policy, scheduler: TokenScheduler, held_out: TokenTrace) -> float:
    """The highest rate that meets every SLO, within a half per cent; 0 if none does."""
    low, high = 50, 20_000
    if not meets(policy, scheduler, held_out, low):
        return 0.0
    while high / low > 1.005:
        middle = round((low * high) ** 0.5)
        low, high = (middle, high) if meets(policy, scheduler, held_out, middle) else (low, middle)
    return low / 1000


def meets(policy: Policy, scheduler: TokenScheduler, held_out: TokenTrace, rate_mrps: int) -> bool:
    """Whether the percentiles of all SLOs are within their limits at a rate."""
    outcome = TokenExperiment(held_out, rate_mrps).outcome(scheduler)
    return all(tail_us(outcome, slo) <= slo.latency_us for slo in policy.slos)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else temporary))
