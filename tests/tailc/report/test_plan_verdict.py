"""How a plan's verdict is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tailc.experiment.ruling import Ruling
from tailc.experiment.window_means import WindowMean
from tailc.models.datacentre.quantities import JobQuantity
from tailc.models.malleable_jobs.model import MalleableJobs
from tailc.report.plan_verdict.json_form import round_digits
from tailc.report.plan_verdict.words import HEADS, better, figure, limits, remarks, verdict_sentence
from tailc.verify.plan.judge import JudgedPlan
from tailc.verify.plan.verdict import PlanMeans, PlanVerdict, Spans

UNKNOWN = WindowMean(0.0, None, None)
VERDICT = PlanVerdict(
    words=MalleableJobs.words,
    spans=Spans(
        windows=5, epochs=96, epoch_s=900, from_unix_s=1_341_100_800, until_unix_s=1_341_532_800
    ),
    jobs=1_234,
    seed=1,
    failures_ppm=0,
    promised_ppm=0,
    judged=JobQuantity.LATE,
    ruling=Ruling.UNDECIDED,
    more_windows=None,
    policy=PlanMeans("policy", {JobQuantity.LATE: WindowMean(0.0, 0.0, 0.0024)}, {}),
    baselines=(),
)
JUDGED = JudgedPlan("cluster", 2, "ab" * 32, left_out=0, own_windows=0, verdict=VERDICT)


@pytest.mark.parametrize(
    ("quantity", "value", "text"),
    [
        (JobQuantity.PROFIT, 1234.5, "1,234"),
        (JobQuantity.PROFIT, 12.345, "12.35"),
        (JobQuantity.BROWN, 0.012345, "0.0123"),
        (JobQuantity.BROWN, 0.00001, "0"),
        (JobQuantity.BROWN, -0.00001, "0"),
        (JobQuantity.LATE, 0.0123, "1.2"),
        (JobQuantity.RELATIVE, 0.95, "95.0"),
    ],
)
def test_figures_have_four_digits_and_shares_a_decimal(quantity, value, text):
    assert figure(quantity, value) == text


def test_a_change_has_its_sign_but_where_it_is_nothing():
    assert figure(JobQuantity.CO2, 2.5, is_signed=True) == "+2.500"
    assert figure(JobQuantity.CO2, -2.5, is_signed=True) == "-2.500"
    assert figure(JobQuantity.CO2, 1e-9, is_signed=True) == "0"
    assert limits(JobQuantity.CO2, WindowMean(0, -1, 2), is_signed=True) == "-1.000 .. +2.000"
    assert limits(JobQuantity.CO2, UNKNOWN) == "unknown"


@pytest.mark.parametrize(
    ("quantity", "low", "high", "word"),
    [
        (JobQuantity.PROFIT, 1, 2, "better"),
        (JobQuantity.PROFIT, -2, -1, "worse"),
        (JobQuantity.BROWN, -2, -1, "better"),
        (JobQuantity.LATE, 0.1, 0.2, "worse"),
        (JobQuantity.LATE, -0.1, 0.2, "no change shown"),
        (JobQuantity.PROFIT, None, None, "no change shown"),
        (JobQuantity.SPILLED, 1, 2, ""),
    ],
)
def test_a_change_is_better_or_worse_by_its_whole_interval(quantity, low, high, word):
    assert better(quantity, WindowMean(0, low, high)) == word


def test_every_quantity_has_a_head_and_a_name_of_its_own():
    assert set(HEADS) == set(JobQuantity)
    assert len({each.key for each in JobQuantity}) == len(JobQuantity)


def test_a_promise_of_none_cannot_be_shown():
    assert remarks(JUDGED) == ["no number of windows shows that no promise is ever broken"]
    assert verdict_sentence(JUDGED) == (
        "at most 0 % of the jobs run for too long; 0 % did, 95 % interval 0 .. 0.2 %; "
        "no number of windows shows that no promise is ever broken"
    )


def test_a_verdict_on_nobody_says_so():
    nobody = PlanMeans("policy", {JobQuantity.LATE: UNKNOWN}, {})
    odd = replace(JUDGED, verdict=replace(VERDICT, policy=nobody, promised_ppm=50_000))
    assert remarks(odd) == ["there were no jobs with an SLO"]


def test_what_is_left_to_say_is_said():
    few = replace(
        VERDICT, spans=replace(VERDICT.spans, windows=3), promised_ppm=50_000, more_windows=1
    )
    odd = replace(JUDGED, verdict=few, left_out=2, own_windows=1)
    assert remarks(odd) == [
        "2 windows left out, without jobs or with energy that is not known",
        "1 window of the days that the policy was compiled from",
        "an interval needs 4 windows at least",
        "about 1 more window would decide",
    ]


def test_programs_get_ten_digits():
    assert round_digits(1 / 3) == 0.3333333333
    assert round_digits(None) is None
