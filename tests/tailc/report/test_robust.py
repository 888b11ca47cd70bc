"""What is said of a table for the worst case, on findings by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tailc.artifact.envelope import Evidence
from tailc.experiment.tuning_objective import Criterion
from tailc.report.robust import robust_text
from tests.tailc.tuning.core_case import clocked
from tests.tailc.tuning.robust.case import robust

EVIDENCE = Evidence("tail", "simulation", "replayed", "", (), 6, (), ())
EARLIER, LATER = clocked(0), clocked(5_000)


def told_of(table, *, is_better: bool) -> str:
    """The first line, where the plain table is the earlier one."""
    found = robust(Criterion.TAIL, 140_000)
    compared = replace(found.hardened.compared, is_better=is_better)
    hard = replace(found.hardened, table=table, compared=compared)
    shown = robust_text(replace(found, hardened=hard), EVIDENCE)
    return shown.splitlines()[0]


@pytest.mark.parametrize(
    ("table", "is_better", "said"),
    [
        (LATER, True, "robust table used"),
        (EARLIER, True, "plain table used, already the best in the worst case"),
        (LATER, False, "robust table not used"),
    ],
)
def test_a_plain_table_that_is_best_in_the_worst_case_is_not_told_as_another(
    table, is_better, said
):
    judging = "10 other replays of 20,000 requests on 600 records held out from the search"
    wanted = f"worst of 2 cases, {judging}: {said}"
    assert told_of(table, is_better=is_better) == wanted
