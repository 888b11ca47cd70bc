"""The options --jobs and --cluster of commands that run independent tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tailc.tasks.engine import TaskEngine


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
        help="Use a Dask cluster: the address of its scheduler, its scheduler file, or local:N for "
        "N new workers on this machine. The workers read the same files at the same paths. Needs "
        "the extra `fleet`.",
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
