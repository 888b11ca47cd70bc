"""Judge a budget table on held-out requests to a language model."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, Place, TailcError
from tailc.experiment.options import VerifyOptions
from tailc.experiment.token_comparison import comparison_of
from tailc.experiment.token_replays import check_requests, experiments, token_rules
from tailc.forms.budget_table import BudgetTable
from tailc.threads import thread_count
from tailc.traces.tokens import TokenTrace
from tailc.verify.tokens.verdict import TokenBaseline, TokenVerdicts


def verify_tokens(
    policy: Policy, held_out: TokenTrace, options: VerifyOptions | None = None
) -> TokenVerdicts:
    """Judge a token-budget policy: a verdict for every SLO at every rate of the policy.

    A policy without rates is judged at the recorded rate. Deterministic in the policy, the requests
    and the options' seed. Raises TailcError if the policy was compiled from these requests, if a
    request does not fit into the cache, and for names that are not baselines.
    """
    options = options or VerifyOptions()
    table = _table_of(policy)
    names = token_rules().choose(options.baselines)
    check_trace(policy, held_out, options)
    check_requests(held_out, table.engine, policy.slos)
    comparison = comparison_of(policy, names, options.seed, options.replicates)
    with ThreadPoolExecutor(thread_count(options.threads)) as workers:
        points = comparison.points(held_out, policy.rates_mrps, workers, options.progress)
        jobs = experiments(held_out, policy.rates_mrps)
        points = tuple(workers.map(comparison.bounded, points, jobs))
    return TokenVerdicts(
        policy_name=policy.name,
        generation=policy.generation,
        held_out_digest=held_out.digest,
        held_out_requests=held_out.requests,
        is_compile_trace=is_compile_tokens(policy, held_out),
        seed=options.seed,
        replicates=options.replicates,
        slos=policy.slos,
        baselines=tuple(TokenBaseline(one, token_rules().make_rule(one).about) for one in names),
        points=points,
    )


def is_compile_tokens(policy: Policy, held_out: TokenTrace) -> bool:
    """Whether the policy was compiled from exactly these requests."""
    compiled_from = (InputRole.DESIGN, InputRole.WHOLE)
    return any(
        part.role in compiled_from and part.digest == held_out.digest for part in policy.inputs
    )


def _table_of(policy: Policy) -> BudgetTable:
    assert policy.budget_table is not None
    return policy.budget_table


def check_trace(policy: Policy, held_out: TokenTrace, options: VerifyOptions) -> None:
    """Raise TailcError if the policy was compiled from these requests, unless that is allowed."""
    if not is_compile_tokens(policy, held_out) or options.allow_compile_trace:
        return
    message = f"`{options.held_out_name}` is the trace from which the policy was compiled"
    hint = "give requests that were held out, or give `--allow-compile-trace`"
    place = Place(options.held_out_name)
    raise TailcError(Finding(Code.COMPILE_TRACE, message, place, hint))
