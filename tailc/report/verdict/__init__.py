"""Reports of verdicts on latency SLOs, for people, programs and CI services."""

from tailc.report.verdict.ci import ci_verdicts
from tailc.report.verdict.json_form import as_dict
from tailc.report.verdict.markdown import as_markdown
from tailc.report.verdict.text import as_text

__all__ = ["as_dict", "as_markdown", "as_text", "ci_verdicts"]
