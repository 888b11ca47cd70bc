"""The report pages of a fleet: after compiles, and after verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tailc.artifact.estimates import Standing
from tailc.report.findings import as_text
from tailc.report.fleet import findings, table_text
from tailc.report.page.content import Page, Section
from tailc.report.pictures.gains import gains_figure
from tailc.studies.fleet import PolicySummary, ServiceResult, ServiceStatus


def fleet_page(folder: str, results: Sequence[ServiceResult]) -> Page:
    """Build the page of a fleet: counts, the gains, all services, and their findings."""
    figure = gains_figure((one.service.name, one.policy) for one in results if one.policy)
    sections = [
        *([Section("gains", "Gains", (figure,))] if figure else []),
        Section("services", "Services", text=table_text(results)),
        Section("findings", "Findings", text=as_text(findings(results), colour=False)),
    ]
    return Page(folder, "Fleet", _facts(results), tuple(sections), _ruling(results))


def judged_fleet_page(
    folder: str, summary: str, table: str, policies: Mapping[str, PolicySummary], ruling: str
) -> Page:
    """Build the page of a fleet after `verify`: all services, and their estimated gains.

    Compiles estimated the gains.
    """
    figure = gains_figure(policies.items())
    sections = (
        Section("services", "Services", text=table),
        *([Section("gains", "Estimated gains", (figure,))] if figure else []),
    )
    return Page(folder, "Fleet", (("Services", summary),), sections, ruling)


def _facts(results: Sequence[ServiceResult]) -> tuple[tuple[str, str], ...]:
    statuses = Counter(one.status.value for one in results)
    standings = Counter(
        one.policy.standing.value for one in results if one.policy and one.policy.standing
    )
    counts = {"services": len(results), **statuses, **standings}
    return tuple((name.capitalize(), f"{count:,}") for name, count in counts.items())


def _ruling(results: Sequence[ServiceResult]) -> str:
    if any(one.status is ServiceStatus.FAILED for one in results):
        return "fail"
    standings = {one.policy.standing for one in results if one.policy}
    if standings & {Standing.FAIL, Standing.OVERLOADED}:
        return "fail"
    return "undecided" if Standing.UNDECIDED in standings else "pass"
