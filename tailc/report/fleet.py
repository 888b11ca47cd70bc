"""Reports of a compiled fleet (`tailc fleet compile`): text, Markdown and JSON data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tailc.artifact.estimates import Standing
from tailc.errors import ExitCode, Finding, Place
from tailc.report.table import align_columns, as_markdown, escaped_markdown
from tailc.studies.fleet import PolicySummary, ServiceResult, ServiceStatus
from tailc.units import plural, printable

FORMAT = "tailc-fleet"
VERSION = 1
_HEADS = ("service", "kind", "status", "estimate", "gain", "finding")
_GAIN = 4
_PPM_PER_PERCENT = 10_000
_NOTE = (
    "gain: how far the percentile (or the cost, if that is minimised) is below that of the best\n"
    "setting by hand, at the rate where it is least. Unchanged services that pass are only counted."
)


def as_text(results: Sequence[ServiceResult]) -> str:
    """Format the result of a fleet: counts, and a table of services that need attention.

    These services have changed, have failed or do not meet their SLO.
    """
    rows = _rows(results)
    table = f"\n{align_columns(rows, (_GAIN,))}\n\n{_NOTE}\n" if len(rows) > 1 else ""
    return f"{_counts(results)}\n{table}"


def table_text(results: Sequence[ServiceResult]) -> str:
    """Format a table of all services of a fleet, with the result and the gain of each."""
    return align_columns([_HEADS, *map(_row, results)], (_GAIN,))


def as_markdown_table(results: Sequence[ServiceResult]) -> str:
    """Format the result of a fleet as Markdown, with the content of `as_text`."""
    rows = _rows(results)
    table = f"\n{as_markdown(rows, (_GAIN,))}\n{_NOTE}\n" if len(rows) > 1 else ""
    return f"### {escaped_markdown(_counts(results))}\n{table}"


def _counts(results: Sequence[ServiceResult]) -> str:
    statuses = Counter(one.status for one in results)
    standings = Counter(one.policy.standing for one in results if one.policy)
    parts = [f"{statuses[each]:,} {each.value}" for each in ServiceStatus if statuses[each]]
    estimates = [f"{standings[each]:,} {each.value}" for each in Standing if standings[each]]
    judged = f"; estimates: {', '.join(estimates)}" if estimates else ""
    return f"{plural(len(results), 'service')}: {', '.join(parts)}{judged}"


def _rows(results: Sequence[ServiceResult]) -> list[tuple[str, ...]]:
    listed = [one for one in results if not _is_unremarkable(one)]
    return [_HEADS, *(_row(one) for one in listed)]


def _is_unremarkable(result: ServiceResult) -> bool:
    standing = result.policy and result.policy.standing
    return result.status is ServiceStatus.UNCHANGED and standing in (None, Standing.PASS)


def _row(result: ServiceResult) -> tuple[str, ...]:
    policy = result.policy
    kind = policy.kind if policy else "-"
    standing = policy.standing.value if policy and policy.standing else "-"
    gain = gain_text(policy) if policy else "-"
    finding = result.findings[0].code.ident if result.findings else "-"
    return printable(result.service.name), kind, result.status.value, standing, gain, finding


def gain_text(policy: PolicySummary) -> str:
    """Format the gain of a policy over the best fixed setting, such as `2.3 %`; `-` if unknown."""
    change = policy.change_ppm
    return "-" if change is None else f"{-change / _PPM_PER_PERCENT:.1f} %"


def exit_code(results: Sequence[ServiceResult]) -> ExitCode:
    """The highest exit code of all services of a fleet."""
    return max((one.exit_code for one in results), default=ExitCode.OK)


def findings(results: Sequence[ServiceResult]) -> tuple[Finding, ...]:
    """List the findings of all services of a fleet; one without a place is placed at its spec."""
    return tuple(
        finding if finding.place else replace(finding, place=Place(one.service.spec))
        for one in results
        for finding in one.findings
    )


def as_dict(results: Sequence[ServiceResult]) -> dict[str, object]:
    """Convert the results to JSON data, as schemas/report/fleet-1.schema.json describes."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "services": [_service(one) for one in results],
    }


def _service(result: ServiceResult) -> dict[str, object]:
    policy = result.policy
    return {
        "name": result.service.name,
        "spec": result.service.spec,
        "status": result.status.value,
        "exit_code": int(result.exit_code),
        "reasons": list(result.reasons),
        "codes": [finding.code.ident for finding in result.findings],
        "policy": policy
        and {
            "digest": policy.digest,
            "kind": policy.kind,
            "standing": policy.standing and policy.standing.value,
            "change_ppm": policy.change_ppm,
        },
    }
