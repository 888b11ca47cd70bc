"""Compare two token-budget tables on the same requests to a language model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.experiment.block_means import MeanError, to_ppm
from tailc.experiment.options import VerifyOptions
from tailc.experiment.token_replays import (
    TokenExperiment,
    check_requests,
    experiments,
    goodput,
    tail_sample,
)
from tailc.models.token_batches.arrays import TokenScheduler
from tailc.specs.slo import Slo
from tailc.traces.tokens import TokenTrace


@dataclass(frozen=True)
class TokenTailChange:
    """The percentile of an SLO under two token-budget policies [us], and its relative change.

    The change is paired by blocks of successive requests.
    """

    slo: Slo
    old_us: int
    new_us: int
    change: MeanError


@dataclass(frozen=True)
class TokenRateChange:
    """Two token-budget policies at one rate: percentiles, and the share of requests in all SLOs."""

    rate_mrps: int
    tails: tuple[TokenTailChange, ...]
    old_goodput_ppm: int
    new_goodput_ppm: int


@dataclass(frozen=True)
class TokenChange:
    """Differences of two token-budget policies at all rates of the new one."""

    held_out_digest: str
    held_out_requests: int
    seed: int
    replicates: int
    rates: tuple[TokenRateChange, ...]


def token_change(
    old: Policy, new: Policy, held_out: TokenTrace, options: VerifyOptions
) -> TokenChange:
    """Replay the token-budget tables of two policies, each on the engine that it is compiled for.

    Rates and SLOs are those of NEW. Raises TailcError if a policy has no such table, or if a
    request does not fit into the cache of its engine.
    """
    schedulers = scheduler_of(old), scheduler_of(new)
    for one in schedulers:
        check_requests(held_out, one.table.engine, new.slos)

    def change(experiment: TokenExperiment) -> TokenRateChange:
        outcomes = [experiment.outcome(one) for one in schedulers]
        before, after = (goodput(one, new.slos) for one in outcomes)

        def tails() -> Iterator[TokenTailChange]:
            for slo in new.slos:
                was, now = (
                    tail_sample(one, slo, options.seed, options.replicates) for one in outcomes
                )
                numbers = was.estimate.us, now.estimate.us
                yield TokenTailChange(slo, *numbers, now.change_from(was))

        return TokenRateChange(experiment.rate_mrps, tuple(tails()), to_ppm(before), to_ppm(after))

    return TokenChange(
        held_out.digest,
        held_out.requests,
        options.seed,
        options.replicates,
        tuple(map(change, experiments(held_out, new.rates_mrps))),
    )


def scheduler_of(policy: Policy) -> TokenScheduler:
    """The scheduler that uses a policy's token-budget table; TailcError if there is no table."""
    if policy.budget_table is None:
        message = f"policy `{policy.name}` has no token budgets, so it cannot be replayed with one"
        raise TailcError(Finding(Code.USAGE, message, help="remove `--trace`"))
    return TokenScheduler(policy.name, "", policy.budget_table)
