"""A pair of policies and requests to compare them on, small and by hand."""

from __future__ import annotations

from dataclasses import replace

from tailc.artifact.envelope import Policy
from tailc.experiment.options import VerifyOptions
from tailc.forms.ladder.table import Climb, Ladder, Row
from tailc.specs.slo import Slo
from tests.tailc.verify.policies import climbing, policy

SLO = Slo(990_000, 100_000)
QUICK = VerifyOptions(requests_per_replay=2000, replicates=49, repeats=6, threads=1)


def one_climb(age_ms: int, cores: int = 8) -> Ladder:
    """Two threads from an age on when four or more are in the system, else from the start."""
    form = climbing(cores)
    low, high = form.rows
    climbs = (Climb(0, 0), Climb(age_ms * 1000, 1)) if age_ms else (Climb(0, 1),)
    return replace(form, rows=(low, Row(high.first_load, None, high.admission, climbs)))


def with_form(form: Ladder, *, rates_mrps: tuple[int, ...] = (100_000,)) -> Policy:
    return policy(SLO, form=form, rates_mrps=rates_mrps)


OLD = with_form(one_climb(20))
LATER = with_form(one_climb(60))
