"""The layout of a verdict as text and as Markdown, for policies of all forms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tailc.experiment.ruling import Ruling
from tailc.report.table import escaped_markdown
from tailc.units import printable


def verdict_text(
    policy_name: str, heading: str, body: Iterable[str], remarks: Sequence[str], ruling: Ruling
) -> str:
    """Format a verdict for a terminal: heading, body, remarks and ruling; empty parts are omitted.

    heading: what was replayed, which follows the name of the policy. body: paragraphs and tables.
    """
    return _paragraphs(
        [
            f"policy `{printable(policy_name)}`, {heading}",
            *body,
            "\n".join(map(printable, remarks)),
            f"verdict: {ruling.value}",
        ]
    )


def verdict_markdown(
    policy_name: str,
    ruling: Ruling,
    heading: str,
    body: Iterable[str],
    remarks: Sequence[str],
    summary: str,
    details: Iterable[str],
) -> str:
    """Format a verdict for a comment on a pull request; empty parts are omitted.

    body, details: Markdown above and below the remarks. summary: title of the collapsed details.
    """
    return _paragraphs(
        [
            f"### {escaped_markdown(policy_name)}: {ruling.value}",
            escaped_markdown(heading),
            *body,
            "\n".join(f"- {escaped_markdown(remark)}" for remark in remarks),
            f"<details><summary>{summary}</summary>",
            *details,
            "</details>",
        ]
    )


def _paragraphs(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"
