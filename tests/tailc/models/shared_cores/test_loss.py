"""What is lost under overload, and verdicts about those that are served."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from jsonschema import validate

from tailc.errors import TailcError
from tailc.experiment.ruling import Ruling
from tailc.forms.ladder.overload import Overload
from tailc.models.shared_cores.loss import LossTimes, loss_of
from tailc.report.verdict.json_form import as_dict
from tailc.report.verdict.words import remarks
from tailc.verify.judge import verify
from tests.tailc.artifact.published import ROOT
from tests.tailc.models.shared_cores.servers import at_once, ladder, overloaded
from tests.tailc.verify.judge_case import P99, options_at
from tests.tailc.verify.policies import held_out, policy

SCHEMA = json.loads((Path(ROOT) / "schemas/report/verdict-2.schema.json").read_text())
ONE_CORE = ladder(at_once((0, 0)), rungs=1, cores=1)
PPM = 1_000_000


def times(refused: int, lost_ns: float) -> LossTimes:
    return LossTimes(100, refused, 1, 0, 1_000.0, lost_ns)


def test_shares_are_of_all_that_arrived_and_the_interval_is_over_the_repeats():
    loss = loss_of([times(10 * n, 70 + 10 * n) for n in range(1, 6)])
    assert (loss.refused_ppm, loss.cut_ppm, loss.degraded_ppm) == (300_000, 10_000, 0)
    assert loss.work_ppm == 100_000
    # Student's t of four degrees of freedom is 2.776, and the mean's deviation sqrt(0.00025 / 5)
    half_ppm = 2.776 * (0.00025 / 5) ** 0.5 * PPM
    assert loss.low_ppm == pytest.approx(100_000 - half_ppm, rel=0.001)
    assert loss.high_ppm == pytest.approx(100_000 + half_ppm, rel=0.001)


def test_one_repeat_has_no_interval():
    loss = loss_of([times(1, 100)])
    assert (loss.low_ppm, loss.high_ppm) == (None, None)


def test_a_server_that_sheds_keeps_up_and_says_at_which_price():
    """Twice as many requests come as a core can serve: about half of the work is lost."""
    trace = held_out(800)
    rate_mrps = round(2e6 / float(trace.demand_ms.mean()))
    form = overloaded(ONE_CORE, Overload(shed_from=4))
    options = dataclasses.replace(options_at(rate_mrps), requests_per_replay=6_000)
    found = verify(policy(P99, form=form), trace, options)
    (point,) = found.points
    assert not point.policy.load.is_overloaded
    loss = point.policy.usage.loss
    assert loss is not None
    # M/M/1/4 at twice its capacity blocks 16 of 31; this one's demands vary less
    assert loss.work_ppm == pytest.approx(PPM * 16 / 31, rel=0.05)
    assert loss.low_ppm is not None
    assert loss.high_ppm is not None
    assert loss.low_ppm < loss.work_ppm < loss.high_ppm
    assert loss.refused_ppm == pytest.approx(loss.work_ppm, rel=0.05)
    (sentence,) = remarks(found)[-1:]
    assert f"{loss.work_ppm / 10_000:.1f} % of the work is lost" in sentence
    validate(as_dict(found), SCHEMA)
    (seq,) = point.baselines
    assert seq.usage.loss is None
    assert seq.load.is_overloaded


def test_percentiles_are_of_those_who_are_served():
    """Nobody shares the core, so everybody who is served takes as long as its work."""
    trace = held_out(800)
    form = overloaded(ONE_CORE, Overload(shed_from=1))
    said = verify(policy(P99, form=form), trace, options_at(100_000)).points[0].policy
    alone = verify(policy(P99, form=ladder(at_once((0, 0)), rungs=1)), trace, options_at(100_000))
    whole = alone.points[0].policy.estimates[0]
    assert said.estimates[0].ruling in (Ruling.PASS, whole.ruling)
    assert said.estimates[0].estimate_us == pytest.approx(whole.estimate_us, rel=0.05)
    assert said.load.in_system_milli <= 1_000


def test_where_everybody_who_is_measured_is_refused_there_is_nothing_to_judge():
    """One request a microsecond, of many milliseconds: the first keeps all others out."""
    form = overloaded(ONE_CORE, Overload(shed_from=1))
    options = dataclasses.replace(options_at(10**9), requests_per_replay=100)
    windowed = dataclasses.replace(P99, window_us=1_000)
    with pytest.raises(TailcError, match="all measured requests of the replays are refused,"):
        verify(policy(windowed, form=form), held_out(800), options)


def test_nothing_lost_is_said_too():
    form = overloaded(ONE_CORE, Overload(shed_from=50))
    found = verify(policy(P99, form=form), held_out(800), options_at(1_000))
    assert any("nothing is lost by the rules for overload" in said for said in remarks(found))
