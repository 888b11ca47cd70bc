"""The rule for overload that loses least, on a small server of four cores."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.experiment.overload_objective import OverloadObjective
from tailc.forms.ladder.table import Rule
from tailc.models.workload import workload
from tailc.progress import silent
from tailc.report.relief import relief_result, relief_text
from tailc.traces.profile import DemandProfile
from tailc.tuning.overload import search
from tailc.tuning.overload.evidence import overload_settings
from tailc.tuning.overload.losses import rate_losses
from tailc.tuning.overload.search import Relief, add_overload_rule, largest
from tests.tailc.pipeline.cores import profile
from tests.tailc.tuning.case import PPM, ladder

# Exponential work of 20 ms in the mean: four cores do that of 200 requests a second.
MEAN_MS = 20
TABLE = ladder((60_000, 120_000), boost=False)
AIM = OverloadObjective(
    900_000, 90_000, (240_000, 300_000), (80_000,), (Rule.SHED,), requests=2_000
)
WITH_ALL = replace(AIM, allowed=(Rule.SHED, Rule.CUT_OFF, Rule.DEGRADE), work_ppm=400_000)


@pytest.fixture(scope="module")
def design() -> DemandProfile:
    rng = np.random.default_rng(5)
    return profile(rng.exponential(MEAN_MS, 1_200) + 0.01, ((1.0, 1.8, 2.4),))


@pytest.fixture(scope="module")
def found(design) -> Relief:
    return add_overload_rule(WITH_ALL, TABLE, design, 1, silent)


@pytest.mark.parametrize("limit", [*range(12), 31, 32, 33, 100])
def test_the_largest_that_holds_is_found(limit):
    asked: list[int] = []

    def holds(value: int) -> bool:
        asked.append(value)
        return value <= limit

    assert largest(holds, 50) == min(limit, 50)
    assert len(asked) <= 13
    assert max(asked) <= 50


def test_the_search_finds_what_trying_every_number_finds(design):
    load = workload(design, TABLE)
    with ThreadPoolExecutor(1) as workers:
        losses = rate_losses(load, AIM, TABLE, 3, workers)
        tables = {n: search._with_rule(Rule.SHED, n, AIM, TABLE) for n in range(1, 25)}
        in_time = [n for n, table in tables.items() if losses.meets(table)]
        assert in_time == list(range(1, len(in_time) + 1))
        assert 1 < len(in_time) < 24
        assert search._largest_of(Rule.SHED, AIM, TABLE, losses) == in_time[-1]
        # and the larger it is the less is lost
        lost = [losses.lost_ppm(tables[n]) for n in in_time]
    assert lost == sorted(lost, reverse=True)


def test_whom_the_rule_serves_is_in_time_with_its_whole_interval(found):
    high = [one.high_us for one in found.rates[:2]]
    assert all(one is not None and one <= AIM.latency_us for one in high)
    assert found.table.overload is not None
    assert [one.rate_mrps for one in found.rates] == [240_000, 300_000, 80_000]


def test_no_less_work_is_lost_than_the_cores_cannot_do(found):
    """Of 240 and 300 requests a second four cores do the work of 200 at most."""
    for one, least in zip(found.rates, (1 - 200 / 240, 1 - 200 / 300, 0), strict=True):
        # of 8 replays, two thousandths of the rate at random
        assert one.loss.work_ppm >= (least - 0.02) * PPM
    assert found.rates[0].loss.work_ppm < found.rates[1].loss.work_ppm


def test_the_rule_is_the_one_that_loses_least(design, found):
    lost = dict(found.others)
    assert found.rule not in lost
    assert {found.rule, *lost} == set(WITH_ALL.allowed)
    alone = {}
    for rule in (rule for rule, ppm in lost.items() if ppm is not None):
        work_ppm = WITH_ALL.work_ppm if rule is Rule.DEGRADE else None
        aim = replace(WITH_ALL, allowed=(rule,), work_ppm=work_ppm)
        one = add_overload_rule(aim, TABLE, design, 1, silent)
        alone[rule] = np.mean([rate.loss.work_ppm for rate in one.rates])
    # judged on other requests than those of the search, so not to the last part in a hundred
    ours = np.mean([rate.loss.work_ppm for rate in found.rates])
    assert all(ours < theirs + 0.01 * PPM for theirs in alone.values())


def test_what_is_found_does_not_depend_on_the_threads(design):
    one, two = (add_overload_rule(AIM, TABLE, design, threads, silent) for threads in (1, 2))
    assert one == two


def test_a_table_that_is_in_time_gets_no_rule(design):
    at_ease = replace(AIM, rates_mrps=(100_000,), latency_us=300_000)
    found = add_overload_rule(at_ease, TABLE, design, 1, silent)
    assert (found.rule, found.table) == (None, TABLE)
    assert "no rule is needed" in relief_text(found)
    assert found.rates[0].loss.work_ppm == 0


def test_where_no_rule_helps_the_policy_is_refused(design):
    hopeless = replace(AIM, latency_us=5_000)
    said = "none of the rules"
    with pytest.raises(TailcError, match=said) as raised:
        add_overload_rule(hopeless, TABLE, design, 1, silent)
    (finding,) = raised.value.findings
    assert finding.code is Code.INFEASIBLE
    assert finding.about == ("overload", "allow")
    assert finding.help == "allow `cut-off`, give a longer latency, or lower rates"


def test_too_few_records_to_be_sure_are_told_from_rules_that_do_not_help():
    """Of 20 records no limit of the 90th percentile is sure: all are shorter in one case of 8."""
    few = profile(np.linspace(1, 60, 20), ((1.0, 1.8, 2.4),))
    said = "`shed` would meet 90 % within 90 ms .* but of 20 requests too few are served"
    with pytest.raises(TailcError, match=said) as raised:
        add_overload_rule(AIM, TABLE, few, 1, silent)
    assert raised.value.findings[0].help == "give lower rates, a longer latency, or a longer trace"


def test_reports_and_evidence_tell_the_loss_at_each_rate(found):
    settings = overload_settings(found)
    assert settings["overload_2_mrps"] == 300_000
    assert settings["overload_2_lost_ppm"] == found.rates[1].loss.work_ppm
    assert settings["overload_normal_1_mrps"] == 80_000
    document = json.loads(json.dumps(relief_result(found)))["overload"]
    assert [one["is_overload"] for one in document["rates"]] == [True, True, False]
    text = relief_text(found)
    assert f"rule `{found.rule.value}`" in text
    assert f"{found.rates[1].loss.work_ppm / 10_000:.1f} %" in text
