"""An llm-batching instance that compiles and verifies in a second or two."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.tailc import texts
from tests.tailc.policies.cases import Case

SPEC = """\
apiVersion: tailc/v1
kind: llm-batching
name: kit
slo:
  - {metric: ttft, percentile: 95%, latency: 2s}
  - {metric: itl, percentile: 95%, latency: 40ms}
tokens:
  trace: design.csv
  reference: a service of the kit
engine:
  steps: {file: steps.csv, context: context}
  kv_blocks: 600
  max_sequences: 16
  max_budget: 2048
rates: [9/s, 13/s]
search: {effort: quick}
"""
REQUESTS = 320
# Mistakes in the spec: a text of it, and its replacement.
MISTAKES = (
    ("metric: itl", "metric: latency"),
    ("metric: itl, ", ""),
    ("latency: 40ms", "latency: 40"),
    ("  reference: a service of the kit\n", ""),
    ("kv_blocks: 600", "kv_blocks: 0"),
    ("kv_blocks: 600", "kv_blocks: many"),
    ("max_budget: 2048", "max_budget: 8"),
    ("steps: {file: steps.csv, context: context}", "steps: steps.csv"),
    ("file: steps.csv", "path: steps.csv"),
    ("search: {effort: quick}", "search: {method: one-step, effort: quick}"),
    ("search: {effort: quick}", "search: {method: simulation}"),
    ("rates: [9/s, 13/s]", "rates: 9/s"),
)


def write(folder: Path, spec: str = SPEC) -> Case:
    """Poisson arrivals with prompts of up to 900 tokens, and iterations of 5 ms and more."""
    case = Case(folder / "service.yaml", folder / "design.csv", folder / "heldout.csv")
    case.spec.write_text(spec)
    case.design.write_text(trace(1))
    case.held_out.write_text(trace(2))
    (folder / "steps.csv").write_text(steps())
    return case


def swapped(*changes: tuple[str, str]) -> str:
    """The spec with each (old, new) text replaced; every old text must be there once."""
    return texts.swapped(SPEC, *changes)


def trace(seed: int, requests: int = REQUESTS) -> str:
    """Requests: time, prompt and output."""
    rng, time = Random(seed), 0.0
    lines = ["time,prompt,output"]
    for _ in range(requests):
        time += rng.expovariate(8.0)
        prompt = round(rng.choice((60, 250, 900)) * rng.uniform(0.5, 1))
        lines.append(f"{time:.4f},{prompt},{rng.randint(2, 40)}")
    return "\n".join(lines) + "\n"


def steps() -> str:
    """Iterations of 5 ms, 0.08 ms a prompt token, 0.3 ms a sequence, 2 us a token of context."""
    lines = ["prompt,decoding,context,time"]
    for prompt in (0, 64, 256, 512, 1024, 2048):
        for decoding in (0, 1, 4, 8, 16):
            for context in (0, 400 * decoding):
                if prompt + decoding:
                    time = 5 + 0.08 * prompt + 0.3 * decoding + 0.002 * context
                    lines.append(f"{prompt},{decoding},{context},{time:.4f}")
    return "\n".join(lines) + "\n"
