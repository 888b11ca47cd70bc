from __future__ import annotations

import dataclasses
from xml.etree import ElementTree

import pytest
from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite

from tailc.errors import Code, Finding, Place, Severity
from tailc.report.junit import CaseFault, JUnitCase, junit_document
from tailc.report.verdict import ci_verdicts
from tests.tailc.report.verdicts_made import BOTH, MISSES, point, run, verdicts

# Attributes and children, in order, that the schemas of Jenkins and Ant have in common.
ALLOWED = {
    "testsuites": ({"tests", "failures", "errors"}, ["testsuite"]),
    "testsuite": ({"name", "tests", "failures", "errors"}, ["testcase", "system-err"]),
    "testcase": ({"classname", "name"}, ["failure", "error", "system-out"]),
    "failure": ({"type", "message"}, []),
    "error": ({"type", "message"}, []),
    "system-out": (set(), []),
    "system-err": (set(), []),
}
DRIFT = Finding(Code.DRIFT, "demand has drifted", Place("new.csv"), "compile", Severity.WARNING)
GONE = Finding(Code.CANNOT_READ, "cannot read `gone.csv`", Place("gone.csv"), "look")


def parsed(text: str) -> tuple[JUnitXml, list[TestCase]]:
    document = JUnitXml.fromstring(text.encode())
    (suite,) = document
    assert isinstance(suite, TestSuite)
    return document, list(suite)


def check_shape(element: ElementTree.Element) -> None:
    attributes, children = ALLOWED[element.tag]
    assert set(element.attrib) <= attributes
    places = [children.index(child.tag) for child in element]
    assert places == sorted(places)
    for child in element:
        check_shape(child)


def test_a_pass_passes_a_miss_fails_and_doubt_is_an_error():
    found = dataclasses.replace(
        BOTH, points=(*BOTH.points, point("50/s", run("websearch", MISSES)))
    )
    document, cases = parsed(
        junit_document("verify", [each.test_case for each in ci_verdicts(found)], ())
    )
    assert (document.tests, document.failures, document.errors) == (3, 1, 1)
    passed, unsure, missed = cases
    assert (passed.classname, passed.name) == ("websearch", "p99 <= 500 ms at 30/s")
    assert passed.is_passed
    assert [type(result) for result in unsure.result] == [Error]
    assert unsure.result[0].type == "undecided"
    assert "about 19,000 more held-out requests" in (unsure.result[0].message or "")
    assert [type(result) for result in missed.result] == [Failure]
    assert missed.result[0].type == "fail"


def test_what_stops_the_command_is_an_error_and_a_warning_is_none():
    document, (stopped,) = parsed(junit_document("verify", (), (GONE, DRIFT)))
    assert (document.tests, document.errors) == (1, 1)
    assert (stopped.classname, stopped.name) == ("tailc verify", "TC0701")
    assert stopped.result[0].message == "gone.csv: cannot read `gone.csv`; help: look"
    document, cases = parsed(
        junit_document("verify", [each.test_case for each in ci_verdicts(BOTH)], (DRIFT,))
    )
    assert (len(cases), document.errors) == (2, 1)


@pytest.mark.parametrize("findings", [(), (DRIFT,), (GONE, DRIFT)])
def test_elements_and_attributes_are_those_that_services_know(findings):
    found = verdicts(point("1/s", run("x", MISSES)))
    root = ElementTree.fromstring(
        junit_document("verify", [each.test_case for each in ci_verdicts(found)], findings)
    )
    assert root.tag == "testsuites"
    check_shape(root)


def test_no_text_can_break_the_document():
    odd = 'a\x00\x1b]]>&<"\ud800\ufffe\n'
    text = junit_document("verify", (JUnitCase(odd, odd, CaseFault.FAILURE, "fail", odd),), ())
    _, (case,) = parsed(text)
    assert case.name == 'a\\x00\\x1b]]>&<"\\xd800\\xfffe\\x0a'


def test_the_same_verdicts_give_the_same_bytes():
    assert junit_document(
        "verify", [each.test_case for each in ci_verdicts(BOTH)], ()
    ) == junit_document("verify", [each.test_case for each in ci_verdicts(BOTH)], ())
    assert junit_document("verify", (), ()).startswith('<?xml version="1.0" encoding="UTF-8"?>\n')
