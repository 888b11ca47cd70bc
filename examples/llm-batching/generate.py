"""Write the traces and the profile of this example: a model of a service and of its engine.

    python examples/llm-batching/generate.py

Nothing here is measured. Arrivals are Poisson, in bursts: the rate changes between two levels.
Prompts and outputs are lognormal. An iteration takes 18 ms, 0.09 ms a prompt token, 0.1 ms a
decoding sequence, and 0.4 us a token of its context.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

FOLDER = Path(__file__).parent
REQUESTS = 900
RATES = (1.5, 6.0)
SPELL_S = 12.0


def main() -> None:
    """Write the design trace, the held-out trace and the profile."""
    (FOLDER / "design.csv").write_text(trace(1), encoding="utf-8")
    (FOLDER / "heldout.csv").write_text(trace(2), encoding="utf-8")
    (FOLDER / "steps.csv").write_text(steps(), encoding="utf-8")


def trace(seed: int) -> str:
    """Requests: arrival time [s], and tokens of prompt and output."""
    rng, time, level, ends = Random(seed), 0.0, 0, 0.0
    lines = ["time,prompt,output"]
    for _ in range(REQUESTS):
        time += rng.expovariate(RATES[level])
        if time > ends:
            level, ends = 1 - level, time + rng.expovariate(1 / SPELL_S)
        prompt = min(max(round(rng.lognormvariate(6.6, 1.0)), 8), 8_000)
        output = min(max(round(rng.lognormvariate(4.2, 0.8)), 2), 600)
        lines.append(f"{time:.3f},{prompt},{output}")
    return "\n".join(lines) + "\n"


def steps() -> str:
    """Times of iterations [ms] by what they batch."""
    lines = ["prompt,decoding,context,time"]
    for prompt in (0, 128, 512, 1024, 2048, 4096, 8192):
        for decoding in (0, 1, 8, 16, 32, 64):
            for each in (0, 500, 2000) if decoding else (0,):
                if prompt + decoding:
                    context = decoding * each
                    time = 18 + 0.09 * prompt + 0.1 * decoding + 0.0004 * context
                    lines.append(f"{prompt},{decoding},{context},{time:.4f}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
