"""Reports of verdicts on measured latencies, for people, programs and CI services."""

from tailc.report.measured.json_form import as_dict
from tailc.report.measured.text import as_markdown, as_text, ci_verdicts

__all__ = ["as_dict", "as_markdown", "as_text", "ci_verdicts"]
