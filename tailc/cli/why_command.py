"""The command `tailc why`: explain a table cell and the effect of changes to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from tailc.cli import replay_options
from tailc.cli.arrivals_option import arrivals_options
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.quantities import DURATION_US
from tailc.cli.trust_option import trusts

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.artifact.trust import Trust
    from tailc.cli.arrivals_option import ArrivalOptions
    from tailc.errors import Finding
    from tailc.studies.why.cell_explanation import CellExplanation
    from tailc.studies.why.decision import Decision


@click.command("why", short_help="Explain a table cell: its rule and its effect.")
@click.argument("artifact")
@click.option(
    "--in-system",
    type=click.IntRange(min=1),
    metavar="N",
    help="Requests in the system, including waiting ones.",
)
@click.option(
    "--decoding",
    type=click.IntRange(min=0),
    metavar="N",
    help="For token budgets: sequences that decode. Default: 0.",
)
@click.option(
    "--waiting-tokens",
    type=click.IntRange(min=0),
    metavar="N",
    help="For token budgets: tokens of prompts that are not computed yet. Default: 0.",
)
@click.option(
    "--age",
    type=DURATION_US,
    default="0ms",
    show_default=True,
    help="Age of a request, such as 80ms, from arrival or from start as in the policy.",
)
@click.option(
    "--trace",
    is_eager=True,
    metavar="FILE",
    help="Trace to replay. If it is the trace that was compiled, its held-out part is replayed.",
)
@replay_options.trace_format
@click.option(
    "--spec",
    is_eager=True,
    metavar="SPEC",
    help="Spec of the policy: also compute the formula's table and compare with it; without "
    "--trace, replay the trace of the spec.",
)
@arrivals_options
@replay_options.requests(1_000, "each of 20 replays")
@replay_options.seed("arrivals and of the order of requests")
@click.option(
    "--threads", type=click.IntRange(min=1), metavar="X", help="Number of threads of the replays."
)
@replay_options.progress
@trusts
@command_with_outcome
def command(
    artifact: str,
    in_system: int | None,
    age: int,
    trace: str | None,
    spec: str | None,
    arrivals: ArrivalOptions,
    trust: Trust,
    **options: Any,
) -> CommandOutcome:
    """Explain what the policy decides for a request of some age at some load, and why.

    For policies with one ladder (a table by requests in the system and age), without a controller,
    and for token budgets. For these, --decoding and --waiting-tokens name the cell: the report has
    the time of its iteration and the largest budget within the limit of times between tokens. With
    --trace it also has the percentiles at each rate of the policy for smaller and larger budgets,
    slower iterations and a higher rate, on recorded arrivals.

    For ladders with --trace or --spec, also replay requests under one arrival process. The report
    has the share of the work at this cell. It also has the tail, and the threads or power in use,
    after each of several changes: a small change of the row; with --spec, the row or the whole
    table of the formula (the kind's method without simulation); demand, rate, speed-ups or capacity
    about 10 % higher or lower. All replays have the same requests at the same times. Without --rate
    and --arrivals, the arrivals are those that the policy was tuned for, or else Poisson, at its
    highest rate.
    """
    from tailc.artifact.files import read_policy
    from tailc.report.why import as_dict, as_text
    from tailc.studies.why.decision import decision, table_of

    policy = read_policy(artifact, trust)
    state = options.pop("decoding"), options.pop("waiting_tokens")
    if policy.budget_table is not None:
        _check_of_ladders(in_system, spec, arrivals)
        decoding, waiting = (number or 0 for number in state)
        source = trace, options["trace_format"], options["seed"]
        from tailc.cli.why_tokens import explain_budget

        return explain_budget(policy, decoding, waiting, *source)
    if state != (None, None):
        raise click.UsageError(
            "--decoding and --waiting-tokens apply only to token budgets, which this policy does "
            "not have: remove them"
        )
    if in_system is None:
        raise click.UsageError("missing option '--in-system'")
    cell = decision(table_of(policy), in_system, age)
    if trace is None and spec is None:
        _check_nothing_replayed(arrivals)
        return CommandOutcome(text=as_text(cell, None), result=as_dict(cell, None))
    effects, findings = _measure_effects(policy, cell, arrivals, trace=trace, spec=spec, **options)
    return CommandOutcome(
        text=as_text(cell, effects), result=as_dict(cell, effects), findings=findings
    )


def _check_of_ladders(in_system: int | None, spec: str | None, arrivals: ArrivalOptions) -> None:
    """UsageError if an option is given that has no effect on token budgets."""
    context = click.get_current_context()
    of_replays = [
        f"--{name}"
        for name in ("age", "requests", "threads")
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    named = [
        *(("--in-system",) if in_system is not None else ()),
        *(("--spec",) if spec is not None else ()),
        *(("--rate or --arrivals",) if arrivals.is_given else ()),
        *of_replays,
    ]
    if named:
        raise click.UsageError(f"{', '.join(named)} do not apply to token budgets: remove them")


def _check_nothing_replayed(arrivals: ArrivalOptions) -> None:
    """UsageError if an option of a replay is given without requests to replay."""
    context = click.get_current_context()
    named = [
        f"--{name}"
        for name in ("requests", "seed", "threads")
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    named = [*(("--rate or --arrivals",) if arrivals.is_given else ()), *named]
    if named:
        raise click.UsageError(
            f"{', '.join(named)} apply only to replays: add `--trace` or `--spec`"
        )


def _measure_effects(
    policy: Policy, cell: Decision, arrivals: ArrivalOptions, **options: Any
) -> tuple[CellExplanation, tuple[Finding, ...]]:
    from tailc.cli.progress import show_progress
    from tailc.models.smt.waking import waking_of
    from tailc.studies.why.cell_explanation import CellQuery, explain_cell
    from tailc.studies.why.setup import CellSource, arrivals_for, cell_setup, percentile_of

    source = CellSource(*(options[name] for name in ("trace", "trace_format", "spec")))
    with show_progress(options["progress"]) as draw:
        read = cell_setup(policy, source, options["threads"], draw, arrivals.column)
        arrival_process = arrivals_for(policy, arrivals.processes_for(policy, read.recorded))
        effort = (options[name] for name in ("requests", "seed", "threads"))
        question = CellQuery(
            percentile_of(policy),
            arrival_process,
            *effort,
            waking=waking_of(policy),
            is_design=read.is_design,
        )
        return explain_cell(cell, read.load, read.formula, question, draw), read.findings
