"""Reports of what decides a table cell (`tailc why`), for people and for programs."""

from tailc.report.why.json_form import as_dict
from tailc.report.why.text import as_text

__all__ = ["as_dict", "as_text"]
