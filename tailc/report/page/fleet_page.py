"""The page of a compiled fleet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tailc.artifact.estimates import Standing
from tailc.report.findings import as_text
from tailc.report.fleet import findings, table_text
from tailc.report.page.content import Page, Section
from tailc.report.pictures.gains import gains_figure
from tailc.studies.fleet import ServiceResult, ServiceStatus


def fleet_page(folder: str, results: Sequence[ServiceResult]) -> Page:
    """Build the page of a fleet: counts, the gains, all services, and their findings."""
    figure = gains_figure(results)
    sections = [
        *([Section("gains", "Gains", (figure,))] if figure else []),
        Section("services", "Services", text=table_text(results)),
        Section("findings", "Findings", text=as_text(findings(results), colour=False)),
    ]
    return Page(folder, "Fleet", _facts(results), tuple(sections), _ruling(results))


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
