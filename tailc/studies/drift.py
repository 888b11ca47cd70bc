"""Measure how the demand of a trace, or of a server's log, differs from that of the compile."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Place, TailcError
from tailc.experiment.demand_drift import Drift
from tailc.experiment.drift import drift_findings, drift_from
from tailc.ingest.responses import refuse_responses
from tailc.studies.held_out import request_reading_of
from tailc.traces.demand_log import as_drawn, demands_of_log, is_demand_log
from tailc.traces.parquet_profile import reading_stated_in
from tailc.traces.profile import DemandProfile
from tailc.traces.profile_file import reading_of_profile
from tailc.traces.source import Format, open_source
from tailc.traces.trace import trace_in


@dataclass(frozen=True, eq=False)
class DriftResult:
    """The demands that were read, their drift since the compile, and warnings.

    drift: None if the policy lacks the compiled demand.
    """

    profile: DemandProfile
    drift: Drift | None
    warnings: tuple[Finding, ...]


def read_drift(
    policy: Policy,
    source: str,
    seed: int,
    format: Format = "auto",  # noqa: A002
) -> DriftResult:
    """Compare the trace at `source` (`-` is standard input) with the demand of the compile.

    The trace is read like the compile's own, or by its own description: a profile, a part written
    by `tailc split`, or the log of a runtime. Raises TailcError for a policy that serves no
    requests.
    """
    if not policy.ladders and policy.tail_table is None:
        message = f"policy `{policy.name}` has no demand of requests, so there is no drift to test"
        hint = "run `tailc verify` without `--drift`"
        raise TailcError(Finding(Code.USAGE, message, help=hint))
    compiled = request_reading_of(policy)
    demands = demands_of_log(compiled.measured)
    with open_source(source) as opened:
        if is_demand_log(opened):
            trace = as_drawn(trace_in(opened, demands, format))
        else:
            own = reading_of_profile(opened, demands) or reading_stated_in(opened)
            if own is None:
                refuse_responses(opened, compiled.measured)
            trace = trace_in(opened, own or compiled.whole(), format)
    drift = drift_from(policy, trace.profile, seed)
    findings = drift_findings(drift, Place(source))
    return DriftResult(trace.profile, drift, (*trace.warnings, *findings))
