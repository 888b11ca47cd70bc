"""Read the chip that a spec describes, to replay a policy on it."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.forms.tail_table import TailTable, least_level
from tailc.models.core_queues.chip import BatchCore, Chip, ProgramCounters
from tailc.percentiles import PPM
from tailc.pipeline.spec import OpenedSpec
from tailc.problems.colocation import BatchWork, Host
from tailc.problems.tail_table import TailProblem
from tailc.studies.clocked_spec import open_clocked
from tailc.traces.profile import DemandProfile

_PPM_PER_MILLI = 1_000


def chip_of(path: str, policy: Policy, requests: DemandProfile) -> Chip:
    """Read the chip of the spec at `path`: power limit, uncore power, batch work of cores.

    requests: used for the memory time of requests. Raises TailcError for a policy whose cores have
    a fixed frequency, and for a spec of another server than the policy's.
    """
    table = policy.tail_table
    if table is None:
        message = f"policy `{policy.name}` has no cores that change their frequency"
        raise TailcError(Finding(Code.USAGE, message, help="remove `--chip`"))
    opened = open_clocked(path)
    # INVARIANT: what is compiled from cycles and memory time is a tail table.
    problem: TailProblem = opened.kind.reduce(opened.spec, requests)
    host, batch = problem.host, problem.batch
    if host is None or _differs(problem, host, table):
        raise _of_another(opened, policy)
    core = None if batch is None else _batch_core(batch, table)
    return Chip(
        requests=ProgramCounters(_memory_ppm(problem), _milli(host.ipc_ppm)),
        batch=(core,) * host.cores,
        shared_mw=host.uncore_mw,
        limit_mw=host.tdp_mw,
    )


def _differs(problem: TailProblem, host: Host, table: TailTable) -> bool:
    has_batch = problem.batch is not None
    return (host.cores, problem.levels, host.idle_core_mw, has_batch) != (
        table.cores,
        table.levels,
        table.sleep.power_mw,
        table.batch is not None,
    )


def _of_another(opened: OpenedSpec, policy: Policy) -> TailcError:
    message = f"`server` or `batch` of this spec differs from the spec of policy `{policy.name}`"
    place = opened.loaded.place("server")
    hint = (
        "give the spec of the policy itself: cores, frequencies, powers and batch work must agree"
    )
    return TailcError(Finding(Code.CONFLICT, message, place, hint))


def _batch_core(batch: BatchWork, table: TailTable) -> BatchCore:
    assert table.batch is not None
    frequencies = [level.frequency_khz for level in table.levels]
    return BatchCore(
        ProgramCounters(batch.memory_ppm, _milli(batch.ipc_ppm)),
        # Power is made non-decreasing in frequency.
        tuple(accumulate(batch.power_mw, max)),
        level=frequencies.index(table.batch.frequency_khz),
        least_level=least_level(table),
    )


def _memory_ppm(problem: TailProblem) -> int:
    """Share of requests' time spent on memory accesses at the nominal frequency [ppm]."""
    weight = problem.profile.weight
    memory_ns = float(np.average(problem.memory_ns, weights=weight))
    all_ns = float(np.average(problem.service_ns(problem.clock_khz), weights=weight))
    return round(memory_ns / all_ns * PPM)


def _milli(ipc_ppm: int | None) -> int | None:
    return None if ipc_ppm is None else max(round(ipc_ppm / _PPM_PER_MILLI), 1)
