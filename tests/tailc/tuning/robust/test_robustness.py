"""Warnings about robust tables, on findings by hand."""

from __future__ import annotations

from tailc.experiment.tuning_objective import Criterion
from tailc.tuning.robust.robustness import robust_remarks
from tests.tailc.tuning.robust.case import robust


def test_the_case_that_misses_the_slo_most_is_told():
    (found,) = robust_remarks(robust(Criterion.ENERGY, 95_000, 140_000))
    assert (
        "meets the SLO in every case: at 2/s, with demand +10 %, the tail is 140 ms"
        in found.message
    )


def test_a_table_that_is_only_no_better_misses_nothing():
    for told in (robust(Criterion.ENERGY, 95_000), robust(Criterion.TAIL, 140_000)):
        (found,) = robust_remarks(told)
        assert "significantly better than the formula's in the worst case" in found.message
