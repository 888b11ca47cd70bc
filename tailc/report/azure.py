"""Issues (findings and notes) as logging commands of Azure Pipelines, one per line."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.report.issues import Issue, limited_annotations, more_text
from tailc.report.notes import NoteLevel
from tailc.units import printable


def as_azure(issues: Sequence[Issue]) -> str:
    """Format issues as `logissue` commands; notices, which Azure does not know, as plain lines.

    If there are too many, the least severe are only counted.
    """
    shown, more = limited_annotations([(issue.level, _line(issue)) for issue in issues])
    shown += [more_text(more)] if more else []
    return "".join(f"{line}\n" for line in shown)


def _line(issue: Issue) -> str:
    if issue.level is NoteLevel.NOTICE:
        # Azure obeys commands anywhere in a line: a name in a trace must not become one.
        return issue.message.replace("##", "# #")
    place = issue.place
    properties = {
        "type": issue.level.value,
        "sourcepath": place and place.source,
        "linenumber": place and place.line,
        "columnnumber": place and place.column,
        "code": issue.rule,
    }
    listing = "".join(
        f"{name}={_escaped_property(str(value))};" for name, value in properties.items() if value
    )
    return f"##vso[task.logissue {listing}]{_escaped(issue.message)}"


def _escaped(text: str) -> str:
    return printable(text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A"))


def _escaped_property(text: str) -> str:
    return _escaped(text).replace("]", "%5D").replace(";", "%3B")
