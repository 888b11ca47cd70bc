import pytest

from tailc.errors import Code, Finding, Severity, TailcError
from tailc.pipeline.refusals import complete_errors, dropped_text
from tailc.pipeline.spec import open_kind
from tests.tailc.toy import write_toy

WARNING = Finding(Code.RUNG_DOMINATED, "a rung is dear", severity=Severity.WARNING)


@pytest.mark.parametrize(
    ("names", "text"),
    [((), ""), (("a",), "; `a` is dropped"), (("a", "b"), "; `a`, `b` are dropped")],
)
def test_rungs_that_are_dropped_are_named(names, text):
    assert dropped_text(names) == text


def test_warnings_that_came_up_meanwhile_follow_the_error_and_its_exit_code_stays(tmp_path):
    warnings: list[Finding] = []
    loaded = open_kind(str(write_toy(tmp_path))).loaded

    def compiles():
        warnings.append(WARNING)
        raise TailcError(Finding(Code.INFEASIBLE, "it cannot be met"))

    with pytest.raises(TailcError) as caught, complete_errors(loaded, (), warnings):
        compiles()
    error, warning = caught.value.findings
    assert caught.value.exit_code == Code.INFEASIBLE.exit_code
    assert error.place == loaded.place("slo", 0, "latency")
    assert warning is WARNING


def test_a_place_that_is_known_stays(tmp_path):
    loaded = open_kind(str(write_toy(tmp_path))).loaded
    place = loaded.place("name")
    with pytest.raises(TailcError) as caught, complete_errors(loaded, (), ()):
        raise TailcError(Finding(Code.INFEASIBLE, "it cannot be met", place))
    assert caught.value.findings[0].place == place
