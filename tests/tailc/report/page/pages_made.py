"""A policy, verdicts and a page of both, by hand."""

from __future__ import annotations

from dataclasses import replace

from tailc.experiment.quantile import Quantile
from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.forms.ladder.table import ON_EXIT, Admission, Climb, Row
from tailc.models.occupancy import Occupancy
from tailc.report.page.content import Page
from tailc.report.page.pages import verdict_page
from tests.tailc.models.shared_cores.servers import at_once, ladder
from tests.tailc.report.verdicts_made import BOTH, P99
from tests.tailc.verify.policies import held_out, policy

HOSTILE = "</svg><script>alert(1)</script>\"'&\x1b[31m"
LADDER = ladder(
    at_once((0, 2), last=2),
    Row(3, 4, Admission.after_delay(5_000), (Climb(0, 0), Climb(20_000, 1), Climb(60_000, 2))),
    Row(5, None, ON_EXIT, (Climb(0, 0), Climb(80_000, 2))),
    rungs=3,
)
EVIDENCE = tuple(
    RowEvidence(load, 100_000 + load, 99_000, 100_000, 90_000, None, 50_000, 60_000, 1_000_000)
    for load in (1, 2, 3)
)
SPECTRUM = (
    Quantile(500_000, 90_000, 85_000, 95_000),
    Quantile(990_000, 352_044, 316_400, 397_700),
    Quantile(999_000, 600_000, 500_000, None),
)
OCCUPANCY = Occupancy(2_000, ((0,) * 60, (400_000,) + (0,) * 59, (0, 600_000) + (0,) * 58))


def made_policy(name: str = "websearch"):
    bare = policy(P99, form=LADDER)
    return replace(bare, name=name, evidence=replace(bare.evidence, rows=EVIDENCE))


def made_verdicts(name: str = "websearch"):
    points = tuple(
        replace(
            point,
            policy=replace(point.policy, spectrum=SPECTRUM, occupancy=(OCCUPANCY,)),
            baselines=tuple(replace(run, spectrum=SPECTRUM) for run in point.baselines),
        )
        for point in BOTH.points
    )
    return replace(BOTH, policy_name=name, points=points)


def made_page(name: str = "websearch") -> Page:
    return verdict_page(made_policy(name), made_verdicts(name), held_out(), ["d1", "d2"])
