from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.errors import Code, TailcError
from tailc.forms.ladder.lookup import LookupAnswer, Start, lookup
from tailc.forms.ladder.table import ON_EXIT, Boost, Climb, CostUnit, Row, Rule, Rung
from tailc.models.execution_model import BaselineSearch, CandidateResult
from tailc.models.shared_cores.baselines.fixed_degree import usual_limit
from tailc.models.shared_cores.model import SharedCores
from tailc.models.workload import Workload
from tests.tailc.models.shared_cores.servers import at_once, ladder

MS = 1_000_000
# Four rungs of 1 to 4 threads, each as fast as it has threads; a table of two rows.
POLICY = SharedCores(
    "ours", (ladder(at_once((0, 3), last=5), at_once((0, 0), (50, 3), first=6), cores=15),)
)
BOOSTING = SharedCores(
    "ours", (ladder(at_once((0, 3), last=5), at_once((0, 0), first=6), cores=15, boost=15),)
)


def demands(*work_ms):
    return Workload(
        np.array(work_ms, np.int64) * MS,
        np.ones(len(work_ms), np.int64),
        np.zeros(len(work_ms), np.int32),
        np.ones((1, 4)),
    )


def speeding(cores, *speeds):
    """A server whose rung i has i + 1 threads and this speed."""
    slow = ladder(at_once((0, 0)), cores=cores, rungs=len(speeds))
    rungs = zip(slow.rungs, speeds, strict=True)
    fast = tuple(replace(rung, speed_ppm=round(speed * MS)) for rung, speed in rungs)
    return SharedCores("ours", (replace(slow, rungs=fast),))


LUCENE_LIKE = demands(10, 100, 186, 190, 600)


def unasked(subject):
    raise AssertionError(f"{subject.name} needs no search")


def made(name, policy=POLICY, load=LUCENE_LIKE, tail_of=unasked):
    search = BaselineSearch(lambda subject: CandidateResult(tail_of(subject), None), 990_000, 1)
    return policy.baseline(name, load, search)


def rungs(subject, loads, executed_us=0, which=0):
    return [lookup(subject.ladders[which], q, 0, executed_us).rung for q in loads]


def test_fix_runs_every_request_on_its_rung():
    fix = made("FIX-3")
    assert fix.name == "FIX-3"
    assert rungs(fix, (0, 1, 50)) == rungs(fix, (0, 1, 50), executed_us=10**9) == [2, 2, 2]


def test_load_protection_starts_requests_on_the_first_rung_and_they_keep_it():
    bing = made("fix-3<30")
    assert bing.name == "FIX-3 below 30"
    assert rungs(bing, (1, 29, 30, 500)) == [2, 2, 0, 0]
    assert Rule.REREAD_ROW not in bing.ladders[0].rules


def test_fixed_intervals_climb_one_rung_each():
    every = made("every-100ms")
    assert every.name == "every 100 ms"
    ages = (0, 99_999, 100_000, 200_000, 300_000, 10**9)
    assert [lookup(every.ladders[0], 9, 0, age).rung for age in ages] == [0, 0, 1, 2, 3, 3]


def test_adaptive_takes_the_least_time_if_all_ran_alike():
    # Speed-ups 1, 1.9, 2.6 on 4 cores. max(1, q d / 4) / s(d):
    #   q = 1: 1, 1/1.9, 1/2.6 -> 3.   q = 2: 1, 1/1.9 = .526, 1.5/2.6 = .577 -> 2.
    #   q = 3: 1, 1.5/1.9 = .789, 2.25/2.6 = .865 -> 2.   q = 4: 1, 2/1.9, 3/2.6 -> 1, and so on.
    adaptive = made("adaptive", speeding(4, 1, 1.9, 2.6))
    assert adaptive.name == "Adaptive (approximation)"
    assert rungs(adaptive, (1, 2, 3, 4, 5, 100)) == [2, 1, 1, 0, 0, 0]
    assert Rule.REREAD_ROW not in adaptive.ladders[0].rules


@given(
    st.integers(1, 12),
    st.lists(st.floats(0.1, 2.0), min_size=1, max_size=4),
    st.integers(1, 200),
)
def test_adaptive_is_the_best_rung_at_every_load(cores, gains, load):
    speeds = np.cumsum([1.0, *gains])
    chosen = rungs(made("adaptive", speeding(cores, *speeds)), [load])[0]
    times = [max(1, load * (d + 1) / cores) / speed for d, speed in enumerate(speeds)]
    # Speeds are stored in millionths
    assert times[chosen] <= min(times) * (1 + 1e-5)


def test_a_clairvoyant_runs_long_requests_on_a_fixed_rung():
    rc = made("rc-4>186ms")
    assert (rc.name, rc.note) == ("RC-4", "threshold 186 ms")
    assert rc.ladder_of is not None
    assert rc.ladder_of.tolist() == [0, 0, 0, 1, 1]
    assert [rungs(rc, (1, 99), which=which) for which in (0, 1)] == [[0, 0], [3, 3]]


def test_the_threshold_of_a_clairvoyant_is_searched():
    asked = []

    def tail_of(subject):
        asked.append(subject.note)
        return {"threshold 8 ms": 3, "threshold 12 ms": 3}.get(subject.note, 9)

    rc = made("rc-2", load=demands(*range(1, 21)), tail_of=tail_of)
    # Every 5 % of twenty demands, of which the last is everybody's
    assert asked == [f"threshold {ms} ms" for ms in range(1, 20)]
    assert rc.note == "threshold 8 ms"


def test_searched_thresholds_have_three_digits():
    rc = made("rc-2", load=Workload(*_spread()), tail_of=lambda _subject: 1)
    assert rc.note == "threshold 12.3 ms"


def _spread():
    work_ns = np.array([12_345_678, 99_999_999], np.int64)
    return work_ns, np.ones(2, np.int64), np.zeros(2, np.int32), np.ones((1, 4))


def test_boosting_is_for_the_last_rung_and_from_the_start():
    boosted = made("fix-3+boost")
    assert boosted.name == "FIX-3 + boost"
    assert boosted.boosts_at_start
    only = boosted.ladders[0]
    assert (len(only.rungs), rungs(boosted, [7])) == (3, [2])
    assert only.boost is not None
    assert only.boost.below_ppm == 15_000_000
    assert not made("fix-3").boosts_at_start


def on_core_types() -> SharedCores:
    """A licence that no rung takes; a little core of four; a big one of two, twice as fast."""
    units = (CostUnit("licences", 100 * MS), CostUnit("little", 4 * MS), CostUnit("big", 2 * MS))
    rungs = (Rung("little", MS, (0, MS, 0)), Rung("big", 2 * MS, (0, 0, MS)))
    return SharedCores(
        "ours", (replace(ladder(at_once((0, 0)), rungs=2), cost_units=units, rungs=rungs),)
    )


def test_baselines_count_the_cores_that_rungs_draw_on():
    policy = on_core_types()
    # two and a half requests on each of four little cores
    assert usual_limit(policy.ladders[0]) == 10
    # boosted up to the two big cores that the last rung takes
    assert made("fix-2+boost", policy).ladders[0].boost == Boost(2, 2 * MS)
    assert made("fix-1+boost", policy).ladders[0].boost == Boost(1, 4 * MS)
    # q on two big cores at 2: 1/2, 1/2, 3/4, 1; on four little ones at 1: 1 up to four
    adaptive = made("adaptive", policy)
    assert rungs(adaptive, (1, 2, 3, 4, 5)) == [1, 1, 1, 0, 0]


def test_the_policy_without_boosting_is_the_same_table():
    plain = made("no-boost", BOOSTING)
    assert plain.name == "policy without boosting"
    assert plain.ladders[0].rows == BOOSTING.ladders[0].rows
    assert (plain.ladders[0].boost, Rule.BOOST_LAST_RUNG in plain.ladders[0].rules) == (None, False)


def test_no_admission_is_left_of_the_policy():
    waiting = SharedCores("ours", (ladder(Row(0, None, ON_EXIT, (Climb(0, 1),)), cores=4),))
    for name in ("seq", "fix-2", "fix-2<10", "every-10ms", "adaptive", "rc-2>10ms"):
        for form in made(name, waiting).ladders:
            assert lookup(form, 100, 0, 0).start is Start.NOW


def test_the_default_baselines_suit_the_server_and_the_demand():
    # 2.5 requests a core; a tenth, half and 2.5 times the median of 186 ms on steps of 1, 2, 5
    intervals = ("every-20ms", "every-100ms", "every-500ms")
    fixed = ("fix-2", "fix-3", "fix-4", "fix-4<38")
    assert POLICY.default_baselines(LUCENE_LIKE) == ("seq", *fixed, *intervals, "adaptive", "rc-4")
    assert BOOSTING.default_baselines(LUCENE_LIKE)[-1] == "no-boost"


def test_the_limit_of_bing_is_that_of_twelve_cores():
    bing = SharedCores("ours", (ladder(at_once((0, 0), (50, 2)), cores=12, rungs=3),))
    assert "fix-3<30" in bing.default_baselines(LUCENE_LIKE)


def test_many_rungs_have_the_second_and_the_last():
    server = ladder(at_once((0, 0), (50, 2)), cores=12, rungs=6)
    names = SharedCores("ours", (server,)).default_baselines(LUCENE_LIKE)
    assert [name for name in names if name.startswith("fix")] == ["fix-2", "fix-6", "fix-6<30"]


def test_what_does_the_same_is_left_out():
    fixed = SharedCores("ours", (ladder(at_once((0, 1)), rungs=2),))
    # No capacity: no protection, and Adaptive always takes the fastest rung, as the policy does
    names = fixed.default_baselines(LUCENE_LIKE)
    assert names == ("seq", "every-20ms", "every-100ms", "every-500ms", "rc-2")


def test_one_rung_leaves_only_seq():
    single = SharedCores("ours", (ladder(at_once((0, 0)), rungs=1),))
    assert single.default_baselines(LUCENE_LIKE) == ("seq",)


def test_intervals_below_the_quantum_are_left_out():
    names = POLICY.default_baselines(demands(20, 20, 20))
    assert [name for name in names if name.startswith("every")] == ["every-10ms", "every-50ms"]


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("adaptve", "there is no baseline `adaptve`", "did you mean `adaptive`? Known: `seq`, "),
        ("fix-9", "baseline `fix-9`: the policy has 4 rungs", "N is from 1 to 4"),
        ("every-10", "baseline `every-10`: `10` has no unit", "write `10ms`, say"),
        ("every-0ms", "baseline `every-0ms`: `0ms` must be above 0", ""),
        ("fix-\uff13", "there is no baseline `fix-\uff13`", ""),
        ("fix-3<0", "baseline `fix-3<0`: no load is below 0", ""),
        ("no-boost", "baseline `no-boost`: the policy does not boost", ""),
        ("rc-2>x", "baseline `rc-2>x`: `x` is not a duration", "for example `120ms`"),
    ],
)
def test_a_name_that_does_not_fit_is_refused(name, message, hint):
    with pytest.raises(TailcError) as refused:
        made(name)
    (finding,) = refused.value.findings
    assert (finding.code, finding.message) == (Code.USAGE, message)
    assert (finding.help or "").startswith(hint)


def test_every_default_name_can_be_made():
    for name in BOOSTING.default_baselines(LUCENE_LIKE):
        subject = made(name, BOOSTING, tail_of=lambda _subject: 1)
        assert lookup(subject.ladders[0], 3, 0, 0).start is Start.NOW
    assert lookup(made("seq").ladders[0], 3, 0, 10**9) == LookupAnswer(Start.NOW, 0, 0)
