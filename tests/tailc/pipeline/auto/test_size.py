"""Searches that simulate too many requests to end are refused before they begin."""

import pytest

from tailc.errors import Code, TailcError
from tailc.experiment.tuning_objective import TuningObjective
from tailc.pipeline.auto import choice
from tailc.pipeline.auto.effort import Effort
from tailc.pipeline.auto.size import MOST_REQUESTS, refuse_endless
from tailc.pipeline.compile import compile_policy
from tests.tailc.pipeline.auto.conftest import write_service


def test_the_limit_is_the_largest_search_that_is_not_refused():
    objective = TuningObjective(990_000, (1_000, 2_000), (1, 1), 1)
    refuse_endless(MOST_REQUESTS, Effort.NORMAL, objective)
    with pytest.raises(TailcError, match=r"simulates 1\.0e\+10 requests; the limit is 1e\+10"):
        refuse_endless(MOST_REQUESTS + 1, Effort.NORMAL, objective)


@pytest.mark.parametrize(
    ("percentile", "effort", "size"),
    [
        ("99.9999%", "normal", "at 1 rate"),
        ("99.9999%", "quick", "p99.9999"),
        ("99.999%", "thorough", "limit is 1e+10"),
    ],
)
def test_a_search_for_a_percentile_too_rare_is_refused_with_its_size(
    tmp_path, monkeypatch, percentile, effort, size
):
    """Nothing is replayed before: not even what could be set by hand."""
    monkeypatch.setattr(choice, "set_by_hand", None)
    spec = write_service(
        tmp_path,
        slo=("percentile: 90%", f"percentile: {percentile}"),
        effort=("effort: quick", f"effort: {effort}"),
    )
    with pytest.raises(TailcError, match=r"simulates \S+ requests") as refused:
        compile_policy(str(spec), threads=1)
    (finding,) = (one for one in refused.value.findings if one.code is Code.METHOD_UNFIT)
    assert size in finding.message
