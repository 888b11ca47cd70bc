"""Reports of verdicts on token-budget policies, for people, programs and CI services."""

from tailc.report.tokens.ci import ci_verdicts
from tailc.report.tokens.json_form import as_dict
from tailc.report.tokens.text import as_markdown, as_text

__all__ = ["as_dict", "as_markdown", "as_text", "ci_verdicts"]
