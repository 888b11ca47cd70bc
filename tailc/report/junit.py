"""JUnit XML, limited to what CI services agree on."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from tailc.errors import Code, Finding, Severity
from tailc.report import findings as render
from tailc.units import printable

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


class CaseFault(enum.Enum):
    """How a test case can fail: with a failure, or with an error before a result."""

    FAILURE = "failure"
    ERROR = "error"


@dataclass(frozen=True)
class JUnitCase:
    """A JUnit test case.

    fault: None if the test passed. kind: type of the fault. message: also printed if it passed.
    """

    group: str
    name: str
    fault: CaseFault | None
    kind: str
    message: str


def junit_document(command: str, cases: Sequence[JUnitCase], findings: Sequence[Finding]) -> str:
    """Format a JUnit test suite: the cases, and one error per finding that stopped the command.

    Warnings go to the suite's `system-err`.
    """
    # A failed test of a policy has a case.
    stops = [
        finding
        for finding in findings
        if finding.severity is Severity.ERROR and finding.code is not Code.TEST_FAILED
    ]
    warnings = [finding for finding in findings if finding.severity is not Severity.ERROR]
    every = [*cases, *(_stopped_case(command, finding) for finding in stops)]
    counts = {
        "tests": len(every),
        "failures": sum(case.fault is CaseFault.FAILURE for case in every),
        "errors": sum(case.fault is CaseFault.ERROR for case in every),
    }
    attributes = {name: str(count) for name, count in counts.items()}
    root = ElementTree.Element("testsuites", attributes)
    suite = ElementTree.SubElement(root, "testsuite", {"name": f"tailc {command}", **attributes})
    for case in every:
        _add(suite, case)
    if warnings:
        lines = render.as_text(warnings).splitlines()
        _text(ElementTree.SubElement(suite, "system-err"), "\n".join(lines))
    ElementTree.indent(root)
    return _DECLARATION + ElementTree.tostring(root, encoding="unicode") + "\n"


def _stopped_case(command: str, finding: Finding) -> JUnitCase:
    place = "" if finding.place is None else f"{finding.place}: "
    hint = "" if finding.help is None else f"; help: {finding.help}"
    message = f"{place}{finding.message}{hint}"
    return JUnitCase(
        f"tailc {command}", finding.code.ident, CaseFault.ERROR, finding.code.ident, message
    )


def _add(suite: ElementTree.Element, case: JUnitCase) -> None:
    names = {"classname": printable(case.group), "name": printable(case.name)}
    element = ElementTree.SubElement(suite, "testcase", names)
    message = printable(case.message)
    if case.fault is None:
        _text(ElementTree.SubElement(element, "system-out"), message)
        return
    attributes = {"type": case.kind, "message": message}
    _text(ElementTree.SubElement(element, case.fault.value, attributes), message)


def _text(element: ElementTree.Element, text: str) -> None:
    """Set the text of an element; control characters, which XML cannot contain, are escaped."""
    element.text = "\n".join(printable(line) for line in text.split("\n"))
