"""Reports of the differences between two policies, for people, programs and CI services."""

from tailc.report.diff.ci import as_markdown, as_notes
from tailc.report.diff.json_form import as_dict
from tailc.report.diff.text import as_text

__all__ = ["as_dict", "as_markdown", "as_notes", "as_text"]
