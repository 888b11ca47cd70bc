"""The options --jobs and --cluster of commands that run independent tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.cli.outcome import CommandOutcome
    from tailc.tasks.engine import TaskEngine

_ABOUT = (
    "a Dask cluster: the address of its scheduler, its scheduler file, or local:N for N new "
    "workers on this machine."
)
_EXTRA = "Needs the extra `fleet`."

replay_cluster = click.option(
    "--cluster", metavar="CLUSTER", help=f"Divide the replays over {_ABOUT} {_EXTRA}"
)


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --jobs and --cluster to a command that uses all processors by default."""
    return _with_options(function, "one for each processor")


def single_engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --jobs and --cluster to a command that starts no other processes by default."""
    return _with_options(function, "1")


def _with_options(function: Callable[..., Any], default: str) -> Callable[..., Any]:
    jobs = click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="X",
        help=f"Number of processes. Default: {default}.",
    )
    cluster = click.option(
        "--cluster",
        metavar="CLUSTER",
        help=f"Use {_ABOUT} The workers read the same files at the same paths. {_EXTRA}",
    )
    return jobs(cluster(function))


@contextmanager
def chosen_engine(jobs: int | None, cluster: str | None) -> Iterator[TaskEngine]:
    """Provide the task engine that the options select: local processes, or a Dask cluster.

    jobs, cluster: values of the options --jobs and --cluster; None: not given.
    """
    if cluster is None:
        from tailc.tasks.processes import LocalProcesses

        yield LocalProcesses(jobs)
        return
    if jobs is not None:
        raise click.UsageError("give either `--jobs` or `--cluster`")
    try:
        from tailc.tasks.cluster import connected
    except ImportError as error:
        from tailc.errors import Code, Finding, TailcError

        message = f"a cluster needs `{error.name}`, which cannot be imported: {error}"
        hint = "pip install 'tailc[fleet]', or give `--jobs`, which needs no library"
        raise TailcError(Finding(Code.MISSING_PART, message, help=hint)) from None
    with connected(cluster) as engine:
        yield engine


def refuse_cluster(policies: Sequence[Policy], cluster: str | None) -> None:
    """Usage error for a cluster where a policy has no replays of requests to divide."""
    if cluster is None:
        return
    from tailc.units import shorten

    for policy in policies:
        if not policy.ladders and policy.tail_table is None:
            raise click.UsageError(
                f"`--cluster` divides replays of requests, which policy `{shorten(policy.name)}` "
                "does not have: remove `--cluster`"
            )


@contextmanager
def replay_engine(cluster: str | None) -> Iterator[TaskEngine | None]:
    """Provide the cluster for replays; None without `--cluster`."""
    if cluster is None:
        yield None
        return
    with chosen_engine(None, cluster) as engine:
        yield engine


def with_warnings(outcome: CommandOutcome, engine: TaskEngine | None) -> CommandOutcome:
    """Add the warnings of the engine to the outcome of a command."""
    return replace(outcome, findings=(*outcome.findings, *(engine.warnings if engine else ())))
