import pytest

from tailc.errors import TailcError
from tailc.forms.ladder.table import Rule
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.spec import open_kind
from tests.tailc.toy import SPEC, with_lines, write_toy

BY_CLASS = with_lines(
    ("latency: 200ms}]", "latency: 200ms}, {percentile: 95%, latency: 90ms, class: gold}]"),
    ("[1, 1.5, 2]", "{classes: {column: type, curves: {gold: [1, 1.8, 2.5], iron: [1, 1, 1.5]}}}"),
)
TRACE = "type,demand_ms\ngold,50\niron,150\n"


def test_a_later_objective_may_be_for_a_class(tmp_path):
    spec = write_toy(tmp_path, BY_CLASS, TRACE)
    assert [slo.request_class for slo in open_kind(spec).spec.slos] == [None, "gold"]


def test_the_objective_of_a_class_changes_no_table(tmp_path):
    plain = BY_CLASS.replace(", {percentile: 95%, latency: 90ms, class: gold}]", "]")
    with_class = compile_policy(write_toy(tmp_path, BY_CLASS, TRACE)).policy
    without = compile_policy(write_toy(tmp_path, plain, TRACE)).policy
    assert with_class.forms == without.forms
    assert [str(slo) for slo in with_class.slos] == [
        "p99 <= 200 ms",
        "p95 <= 90 ms for class gold",
    ]


def overload_of(tmp_path, told: str):
    """The spec with something said of overload."""
    return open_kind(write_toy(tmp_path, f"{SPEC}overload: {told}\n")).spec.overload


def test_overload_names_rates_and_what_may_be_lost(tmp_path):
    told = overload_of(tmp_path, "{rates: [30/s]}")
    assert (told.rates_mrps, told.rules, told.degrade) == ((30_000,), (Rule.SHED,), None)
    allow = "[degrade, shed, shed]"
    told = overload_of(tmp_path, f"{{rates: [30/s], allow: {allow}, degrade: {{work: 60%}}}}")
    assert told.rules == (Rule.DEGRADE, Rule.SHED)
    assert told.degrade.work_ppm == 600_000


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ("{rates: [30/s], allow: [degrade]}", "the amount of work is missing"),
        ("{rates: [30/s], degrade: {work: 60%}}", "`allow` has no `degrade`"),
        ("{rates: [30/s], allow: [degrade], degrade: {work: 100%}}", "between 0 % and 100 %"),
        ("{rates: [9/s, 30/s]}", "not above the highest of `rates`, 10/s"),
        ("{rates: [30/s, 30/s]}", "is a rate that the list already has"),
        ("{rates: []}", "is empty"),
        ("{rates: [30/s], allow: []}", "is empty"),
        ("{rates: [30/s], allow: [queue]}", "queue"),
    ],
)
def test_what_is_said_of_overload_must_make_sense(tmp_path, told, complaint):
    with pytest.raises(TailcError) as raised:
        overload_of(tmp_path, told)
    (finding,) = raised.value.findings
    assert complaint in f"{finding.message} {finding.help}"
    assert finding.place is not None
