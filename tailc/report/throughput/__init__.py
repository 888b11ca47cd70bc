"""Reports of verdicts on throughput targets, for people, programs and CI services."""

from tailc.report.throughput.ci import ci_verdicts
from tailc.report.throughput.json_form import as_dict
from tailc.report.throughput.text import as_markdown, as_text

__all__ = ["as_dict", "as_markdown", "as_text", "ci_verdicts"]
