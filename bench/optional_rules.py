"""What a tuned table gains where the server can do more than Few-to-Many's.

    python -m bench.optional_rules
    python -m bench.optional_rules --rate
    TAILC_DATA=... python -m bench.optional_rules --traces

The rules are starts by the threads in use, requests that give up, and falls. On the server and
demands of `bench.queue_aware`, with one table for 40/s, one for 44/s, and one for 10/s to 50/s;
under TAILC_DATA with one table for all three rates of each public trace. At each rate the best
target's table for these rates, the tuned one with none of the rules, and the one with all three, on
requests that no compile saw and on the same random numbers. Intervals are Student's at 95 % over
replays. With --rate the highest rates under latencies instead. The searches simulate a third of the
default budget, which finds nearly all of the gain.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from bench.queue_aware import (
    FORMULA,
    LATENCIES_MS,
    LOADED_RPS,
    SIMULATION,
    TARGETS,
    WIDE_RPS,
    Case,
    change_text,
    gain_over,
    highest_mrps,
    raised_text,
    rate_aim,
    rate_text,
    reached_texts,
    synthetic,
    tail_text,
    traces,
)
from bench.timing import end, show
from tailc.tuning.highest_rate import compare_rates, highest_rate

BUDGET = 100_000_000
RULES = ("start-below", "give-up", "may-descend")
CHANGES = ("change to best target", "change to tuned")
HEADS = ("demand", "tuned for", "rate", "best target", "tuned", "with optional rules", *CHANGES)
HEADS += ("clairvoyant", "gap closed")
RATE_HEADS = ("99 % within", "best target", "tuned", "with optional rules", *CHANGES)


def rows(case: Case, rates: Sequence[float]) -> Iterator[tuple[str, ...]]:
    """One table of each sort for all rates, told rate by rate."""
    best = case.table(FORMULA, TARGETS, rates)
    plain = case.table(SIMULATION, TARGETS, rates, BUDGET)
    free = case.table(SIMULATION, TARGETS, rates, BUDGET, RULES)
    made_for = "the rate" if len(rates) == 1 else "all"
    for rate in rates:
        to_best, to_plain = (gain_over(case, rate, base, free) for base in (best, plain))
        told = (
            (to_best.formula_us, to_best.formula_overloaded),
            (to_plain.formula_us, to_plain.formula_overloaded),
            (to_best.tuned_us, to_best.tuned_overloaded),
        )
        yield (
            case.name,
            made_for,
            f"{rate:g}/s",
            *(tail_text(us, overloaded=overloaded) for us, overloaded in told),
            change_text(to_best),
            change_text(to_plain),
            *reached_texts(to_best),
        )


def rate_rows(case: Case) -> Iterator[tuple[str, ...]]:
    """For each latency the highest rates of the best target, tuned without and with the rules."""
    for latency_ms in LATENCIES_MS:
        plain = case.for_rate(latency_ms, TARGETS, BUDGET)
        free = case.for_rate(latency_ms, TARGETS, BUDGET, RULES)
        best = plain.sweep.chosen.policy.ladders[0]
        tables = [best, plain.policy.ladders[0], free.policy.ladders[0]]
        aim = rate_aim(latency_ms)
        formula, without, with_them = highest_mrps(case, plain, tables, aim)
        gain = compare_rates(without, with_them, aim)
        yield (
            f"{latency_ms} ms",
            rate_text(highest_rate(formula, aim)),
            rate_text(gain.formula),
            rate_text(gain.tuned),
            raised_text(compare_rates(formula, with_them, aim)),
            raised_text(gain),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--traces", action="store_true", help="public traces instead")
    parser.add_argument("--rate", action="store_true", help="highest rates instead")
    arguments = parser.parse_args()
    if arguments.rate:
        show(RATE_HEADS, list(rate_rows(synthetic())))
        end()
        return
    found: list[tuple[str, ...]] = []
    if arguments.traces:
        for case in traces():
            found += rows(case, case.rates_rps)
    else:
        for rates in (*([rate] for rate in LOADED_RPS), WIDE_RPS):
            found += rows(synthetic(), rates)
    show(HEADS, found)
    end()


if __name__ == "__main__":
    main()
