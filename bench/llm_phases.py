"""GPUs for LLM requests by phase, beside GPUs by age alone.

    TAILC_DATA=... python -m bench.llm_phases

Requests of two public traces (prompt and output tokens) run on 2, 4 or 8 GPUs of the measured
times of Llama-2-70B on A100: the prompt's time by its length, and the time of a token. Assumed, and
not measured: that a request may go on with more GPUs at once, that speed-ups are the same for every
request of a trace (those of all its prompts together), and that requests run alone, not in batches.

By age: a request gets more GPUs at two ages, whichever phase it is in; the best pair that a search
finds. By phase: it begins the output on 2 GPUs again, and each phase has ages of its own, by
`tailc_solvers.thresholds.phases`. Both are made on a trace's first part and judged on the rest,
with bootstrap intervals.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from tailc_solvers.sample import WeightedSample
from tailc_solvers.status import Status
from tailc_solvers.thresholds.dual import solve_thresholds
from tailc_solvers.thresholds.phases import Phase, solve_phases

from bench.timing import end, show
from tailc.percentiles import percentile_rank

Times = NDArray[np.float64]
DEGREES = (2, 4, 8)
MODEL, HARDWARE = "llama2-70b", "a100-80gb"
P99_PPM, PPM = 990_000, 1_000_000
PARTS = (0.95, 0.9, 0.85, 0.8)
"""Targets, as parts of the 99th percentile on 2 GPUs."""

RANKS = (0.01, 0.2, 0.5, 0.9, 0.99)
"""Of the prompt's work beside which the longest output is thought, tried in turn."""

LEAST_AIM, MOST_AIM, HALVINGS = 0.5, 1.5, 16
AGES = 80
RESAMPLES, SEED = 1_000, 5


@dataclass(frozen=True, eq=False)
class Requests:
    """Times of both phases on 2 GPUs [ms], and speeds on all numbers of GPUs worth having."""

    prompt_ms: Times
    output_ms: Times
    prompt_speed: tuple[float, ...]
    output_speed: tuple[float, ...]

    def replay(self, by_age: Sequence[float]) -> tuple[Times, Times, Times]:
        """Latency, time to the first token [ms] and GPU time [GPU ms], climbing at those ages."""
        prompt, output = self.prompt_ms.copy(), self.output_ms.copy()
        spent, cost, first = np.zeros((3, prompt.size))
        begin = 0.0
        for gpus, faster, slower, age in zip(
            DEGREES, self.prompt_speed, self.all_output_speed, (*by_age, np.inf), strict=True
        ):
            if np.isinf(begin):
                break
            on_prompt = np.minimum(prompt / faster, age - begin)
            on_output = np.minimum(output / slower, age - begin - on_prompt)
            prompt -= on_prompt * faster
            output -= on_output * slower
            first += on_prompt
            spent += on_prompt + on_output
            cost += gpus * (on_prompt + on_output)
            begin = age
        return spent, first, cost

    @property
    def all_output_speed(self) -> tuple[float, ...]:
        """With the fastest for numbers of GPUs that do not help."""
        more = len(DEGREES) - len(self.output_speed)
        return (*self.output_speed, *[self.output_speed[-1]] * more)


def climbed(work: Times, speed: Sequence[float], ages: Sequence[float]) -> tuple[Times, Times]:
    """Time and GPU time of one phase whose climbs are at those ages, counted from its begin."""
    missing = len(DEGREES) - len(speed)
    alone = Requests(work, np.zeros_like(work), (*speed, *[speed[-1]] * missing), (1.0,))
    spent, _, cost = alone.replay([*ages, *[np.inf] * missing])
    return spent, cost


def measured_times() -> tuple[dict[int, tuple[Times, Times]], dict[int, float]]:
    """By number of GPUs: the prompt's time by its tokens, and the time of an output token [ms]."""
    table = pq.read_table(_data() / "speedup" / "llm_request_times.parquet")
    mine = table.filter((pc.field("model") == MODEL) & (pc.field("hardware") == HARDWARE))
    prompts, tokens = {}, {}
    for degree in DEGREES:
        rows = mine.filter(pc.field("degree") == degree)
        short = rows.filter(pc.field("token_size") == 128).sort_by("prompt_size")
        prompts[degree] = tuple(short[name].to_numpy() for name in ("prompt_size", "prompt_time"))
        tokens[degree] = float(np.median(rows["token_time"].to_numpy()))
    return prompts, tokens


def requests(name: str, part: str) -> Requests:
    prompts, tokens = measured_times()
    table = pq.read_table(_data() / "azure-llm-2023" / f"{name}_{part}.parquet")
    asked = table["ContextTokens"].to_numpy()
    on = {degree: np.interp(asked, *prompts[degree]) for degree in DEGREES}
    base = DEGREES[0]
    output_speed = [tokens[base] / tokens[degree] for degree in DEGREES]
    return Requests(
        on[base],
        table["GeneratedTokens"].to_numpy() * tokens[base],
        tuple(float(on[base].sum() / on[degree].sum()) for degree in DEGREES),
        tuple(output_speed[: output_speed.index(max(output_speed)) + 1]),
    )


def _data() -> Path:
    data = os.environ.get("TAILC_DATA")
    if data is None:
        raise SystemExit("set TAILC_DATA to a folder of public traces")
    return Path(data)


def p99(times: Times) -> float:
    return float(np.sort(times)[percentile_rank(P99_PPM, times.size) - 1])


@dataclass(frozen=True, eq=False)
class Plan:
    """Ages by age alone, or of the prompt and of the output."""

    ages: tuple[tuple[float, ...], ...]

    def replay(self, asked: Requests) -> tuple[Times, Times, Times]:
        if len(self.ages) == 1:
            return asked.replay(self.ages[0])
        prompt, prompt_cost = climbed(asked.prompt_ms, asked.prompt_speed, self.ages[0])
        output, output_cost = climbed(asked.output_ms, asked.output_speed, self.ages[1])
        return prompt + output, prompt, prompt_cost + output_cost


def best_by_age(asked: Requests, target_ms: float, first_ms: float) -> Plan | None:
    """Least GPU time found that keeps both percentiles: for each later age of a grid, the earlier
    age halved to the latest that keeps them, since nobody is sooner done for a later climb.
    """
    longest = float((asked.prompt_ms + asked.output_ms).max())
    found: list[tuple[float, Plan]] = []
    for last in [*np.geomspace(20, longest, AGES), np.inf]:
        low, high = 0.0, min(last, longest)
        for _ in range(HALVINGS):
            age = (low + high) / 2
            spent, first, cost = asked.replay((age, last))
            if p99(spent) <= target_ms and p99(first) <= first_ms:
                low = age
                found.append((float(cost.mean()), Plan(((age, last),))))
            else:
                high = age
    return min(found, key=lambda one: one[0], default=(0.0, None))[1]


def best_by_phase(asked: Requests, target_ms: float) -> Plan | None:
    """Least GPU time of the solver's plans that keep the percentile, over the prompt's ranks.

    The solver's sum of two times is not the percentile of the sum, so what it aims at is halved
    down to the longest that keeps the percentile.
    """
    plans = [_longest_aim(asked, target_ms, share) for share in RANKS]
    found = [(float(plan.replay(asked)[2].mean()), plan) for plan in plans if plan is not None]
    return min(found, key=lambda one: one[0], default=(0.0, None))[1]


def _longest_aim(asked: Requests, target_ms: float, share: float) -> Plan | None:
    first = _phase(asked.prompt_ms, asked.prompt_speed, round(share * PPM))
    second = _phase(asked.output_ms, asked.output_speed, P99_PPM)
    low, high, best = LEAST_AIM, MOST_AIM, None
    for _ in range(HALVINGS):
        aim = (low + high) / 2
        solved = solve_phases(first, second, target_ms=aim * target_ms)
        plan = Plan(tuple(tuple(part.age_ms.tolist()) for part in solved.phases))
        is_late = solved.status is Status.OPTIMAL and p99(plan.replay(asked)[0]) > target_ms
        if solved.status is Status.OPTIMAL and not is_late:
            best = plan
        low, high = (low, aim) if is_late else (aim, high)
    return best


def first_token_by_phase(asked: Requests, first_ms: float) -> Plan:
    """More GPUs for the prompt alone: one threshold problem."""
    part = _phase(asked.prompt_ms, asked.prompt_speed, P99_PPM)
    solved = solve_thresholds(
        part.sample, part.speed, part.power, rank=part.rank, target_ms=first_ms
    )
    assert solved.status is Status.OPTIMAL
    never = (np.inf,) * (len(asked.output_speed) - 1)
    return Plan((tuple(solved.age_ms.tolist()), never))


def _phase(work_ms: Times, speed: Sequence[float], percentile_ppm: int) -> Phase:
    sample = WeightedSample.common(work_ms, [1.0])
    rank = percentile_rank(percentile_ppm, work_ms.size)
    return Phase(sample, speed, DEGREES[: len(speed)], rank)


def rows(name: str) -> Iterator[tuple[str, ...]]:
    design, held_out = requests(name, "compile"), requests(name, "example")
    whole_ms = p99(design.prompt_ms + design.output_ms)
    first_ms = p99(design.prompt_ms)
    for part in PARTS:
        plans = best_by_age(design, part * whole_ms, np.inf), best_by_phase(design, part * whole_ms)
        yield row(name, f"latency {part:.0%}", held_out, whole_ms, *plans, at=0)
    for part in PARTS:
        plans = (
            best_by_age(design, np.inf, part * first_ms),
            first_token_by_phase(design, part * first_ms),
        )
        yield row(name, f"first token {part:.0%}", held_out, first_ms, *plans, at=1)


def row(
    name: str,
    target: str,
    asked: Requests,
    base_ms: float,
    by_age: Plan | None,
    by_phase: Plan | None,
    at: int,
) -> tuple[str, ...]:
    """GPU time of both over that on 2 GPUs, the change, and the percentiles."""
    if by_age is None or by_phase is None:
        return (name, target, *["none"] * 5)
    age, phase = by_age.replay(asked), by_phase.replay(asked)
    alone = DEGREES[0] * (asked.prompt_ms + asked.output_ms)
    low, high = _bootstrap(age[2], phase[2])
    return (
        name,
        target,
        f"{age[2].mean() / alone.mean():.3f}",
        f"{phase[2].mean() / alone.mean():.3f}",
        f"{100 * (phase[2].mean() / age[2].mean() - 1):+.1f} % ({low:+.1f} .. {high:+.1f})",
        f"{p99(age[at]) / base_ms:.1%}",
        f"{p99(phase[at]) / base_ms:.1%}",
    )


def _bootstrap(base: Times, other: Times) -> tuple[float, float]:
    """95 % interval of the change in the mean, in per cent."""
    random = np.random.default_rng(SEED)
    drawn = random.integers(0, base.size, (RESAMPLES, base.size))
    changes = 100 * (other[drawn].mean(axis=1) / base[drawn].mean(axis=1) - 1)
    low, high = np.quantile(changes, (0.025, 0.975))
    return float(low), float(high)


def main() -> None:
    heads = ("trace", "target", "GPU time by age", "by phase", "change", "p99 by age", "by phase")
    found = []
    for name in ("code", "conv"):
        asked = requests(name, "compile")
        share = asked.prompt_ms.sum() / (asked.prompt_ms + asked.output_ms).sum()
        told = [", ".join(f"{s:.3g}" for s in v) for v in (asked.prompt_speed, asked.output_speed)]
        print(f"{name}: prompts {share:.0%} of the time on 2 GPUs; speeds {told[0]}; {told[1]}")
        found += rows(name)
    print()
    show(heads, found)
    end()


if __name__ == "__main__":
    main()
