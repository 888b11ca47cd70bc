from tailc.pipeline.compile import compile_policy
from tailc.pipeline.spec import open_kind
from tests.tailc.toy import with_lines, write_toy

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
