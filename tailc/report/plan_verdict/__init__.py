"""Reports of verdicts on plans, for people, programs and CI services."""

from tailc.report.plan_verdict.ci import ci_verdicts
from tailc.report.plan_verdict.json_form import as_dict
from tailc.report.plan_verdict.text import as_markdown, as_text

__all__ = ["as_dict", "as_markdown", "as_text", "ci_verdicts"]
