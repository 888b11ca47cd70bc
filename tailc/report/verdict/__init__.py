"""Verdicts as a person, a program or a CI service wants to read them."""

from tailc.report.verdict.ci import as_cases, as_notes
from tailc.report.verdict.json_form import as_dict
from tailc.report.verdict.markdown import as_markdown
from tailc.report.verdict.text import as_text

__all__ = ["as_cases", "as_dict", "as_markdown", "as_notes", "as_text"]
