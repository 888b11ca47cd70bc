from dataclasses import replace

import pytest

from tailc.artifact.envelope import Input, InputRole
from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import Boost
from tailc.report.policy import demand_line, policy_text, rough_time
from tailc.traces.summary import GRID_PPM, DemandSummary
from tests.tailc.artifact.published import lucene_policy, policy_of, sharing_policy

FORGED = "d1\nwrote build/x.tailc\x1b[1A"
SHOWN = "d1\\x0awrote build/x.tailc\\x1b[1A"


def test_names_in_an_artifact_cannot_forge_lines():
    policy = lucene_policy()
    ladder = policy.forms[0]
    rungs = tuple(replace(rung, name=FORGED) for rung in ladder.rungs)
    slo = replace(policy.slos[0], request_class=FORGED)
    evidence = replace(policy.evidence, objective=FORGED, method=FORGED)
    forged = replace(
        policy,
        name=FORGED,
        kind=FORGED,
        slos=(slo,),
        forms=(replace(ladder, rungs=rungs),),
        evidence=evidence,
    )
    text = policy_text(forged)
    assert len(text.splitlines()) == len(policy_text(policy).splitlines())
    assert "\x1b" not in text
    assert f"{SHOWN} ({SHOWN}), generation" in text
    assert f"for class {SHOWN}" in text


def test_the_design_demand_is_one_line_if_the_artifact_tells_it():
    policy = lucene_policy()
    # 1 ms for each entry of the grid: the minimum, every percent, 99.5, 99.9 and 100 %
    quantiles_ns = tuple((place + 1) * 1_000_000 for place in range(len(GRID_PPM)))
    told = DemandSummary(12_345_678, quantiles_ns)
    design = Input(InputRole.DESIGN, "0" * 64, 10, 2000, told)
    assert demand_line(replace(policy, inputs=(replace(design, demand=None),))) is None
    assert demand_line(replace(policy, inputs=(design,))) == (
        "demand of 2,000 requests: mean 12.35 ms, p50 51 ms, p95 96 ms, p99 100 ms"
    )


def test_the_tails_of_a_tuned_table_are_told_beside_the_formula_s():
    policy = lucene_policy()
    told = {"rate_1_mrps": 40_000, "rate_1_tuned_us": 340_000, "rate_1_formula_us": 390_000}
    told |= {"rate_2_mrps": 60_000, "rate_2_tuned_us": 500_000}
    evidence = replace(policy.evidence, proof="replayed", settings=tuple(sorted(told.items())))
    text = policy_text(replace(policy, evidence=evidence))
    assert (
        "\ntails      40/s 340 ms (formula's 390 ms); 60/s 500 ms (formula's overloaded)\n" in text
    )
    told["formula_part_ppm"] = 968_750
    evidence = replace(evidence, settings=tuple(sorted(told.items())))
    text = policy_text(replace(policy, evidence=evidence))
    assert "(formula's overloaded); the formula's with 96.9 % of its ages\n" in text


def test_what_is_lost_under_overload_stands_below_the_rows():
    _, told = policy_text(policy_of("overload")).splitlines()[-1].split("under overload: ")
    assert told.split("; ") == [
        "a request that finds 61 in the system is refused",
        "a request that runs 800.123 ms after its start leaves unfinished",
        "of one that finds 40 in the system 60.0001 % of the work is done",
    ]
    assert "90 ms after its arrival leaves" in policy_text(policy_of("overload-arrival"))
    assert "overload" not in policy_text(lucene_policy())


def test_how_requests_share_stands_below_the_rows():
    text = policy_text(sharing_policy(Sharing(0, 8_000_000, 325_000)))
    _, told = text.splitlines()[-1].split("sharing: ")
    assert told.split("; ") == [
        "a request starts while less than 8 threads are in use",
        "a request that runs 325 ms after its start moves to d1",
    ]
    assert "sharing" not in policy_text(lucene_policy())


@pytest.mark.parametrize(
    ("below_ppm", "limit"), [(8_000_000, "8"), (22_500_000, "22.5"), (30_000_000, "30")]
)
def test_a_tuned_limit_of_boosting_stands_below_the_rows(below_ppm, limit):
    policy = lucene_policy()
    (ladder,) = policy.forms
    text = policy_text(replace(policy, forms=(replace(ladder, boost=Boost(0, below_ppm)),)))
    assert text.splitlines()[-1] == (
        f"boosting: a request on {ladder.rungs[-1].name} has priority while the threads of boosted "
        f"requests, its own included, are below {limit}"
    )


def test_a_limit_of_boosting_that_is_all_cores_goes_without_saying():
    (ladder,) = lucene_policy().forms
    assert ladder.boost == Boost(0, ladder.cost_units[0].capacity_ppm)
    assert "boosting" not in policy_text(lucene_policy())


@pytest.mark.parametrize(
    ("time_ns", "text"),
    [
        (1_234_567, "1.235 ms"),
        (9_500_000_000, "9500 ms"),
        (12_345_000_000, "12.35 s"),
        (900 * 10**9, "15 min"),
        (9_518 * 10**9, "2.644 h"),
        (400, "0.0004 ms"),
    ],
)
def test_a_time_is_shown_in_the_unit_that_people_count_it_in(time_ns, text):
    assert rough_time(time_ns) == text
