import pytest

from tailc.experiment.ruling import Ruling
from tailc.models.datacentre.quantities import JobQuantity
from tests.tailc.verify.plan.judging import verdict
from tests.tailc.verify.plan.malleable_case import Linear, days, plan


def test_the_fewest_servers_that_are_in_time_win_where_all_cost_alike():
    # 3,600 s of work in 1,980 s: two servers for two epochs, or four for one.
    found = verdict(plan(100), days([2.0] * 4, [0, 1_800]), Linear())
    assert (found.words.jobs_are, found.spans.windows, found.jobs) == ("malleable", 2, 2)
    means = found.policy.means
    assert means[JobQuantity.SERVERS].value == 2
    assert means[JobQuantity.VMS].value == 4
    assert means[JobQuantity.RUN].value == 0.5
    assert means[JobQuantity.RELATIVE].value == means[JobQuantity.DONE].value == 1
    assert means[JobQuantity.BROWN].value == means[JobQuantity.SPILLED].value == 0
    assert means[JobQuantity.GREEN].value == pytest.approx(3_600 / 3_600_000)


def test_what_it_costs_to_be_sooner_done_is_told_beside_constant_allocation():
    # An epoch less is worth something: four servers, of which the sun carries two.
    found = verdict(plan(100, 1), days([2.0] * 4, [0, 1_800]), Linear())
    means = found.policy.means
    assert means[JobQuantity.SERVERS].value == 4
    assert means[JobQuantity.RELATIVE].value == 0.5
    assert means[JobQuantity.BROWN].value == pytest.approx(1_800 / 3_600_000)
    assert means[JobQuantity.SPILLED].value == pytest.approx(1_800 / 3_600_000)
    assert means[JobQuantity.COST].value == pytest.approx(0.0005 * 0.1055)
    assert means[JobQuantity.CO2].value == pytest.approx(0.0005 * 0.2)
    constant = found.baselines[0]
    assert constant.name == "constant"
    assert constant.means[JobQuantity.RELATIVE].value == 1
    assert constant.gains[JobQuantity.RUN].value == pytest.approx(-0.25)
    assert constant.gains[JobQuantity.BROWN].value == pytest.approx(0.0005)
    # Green energy carries no third server, so the others keep two.
    assert [one.name for one in found.baselines] == ["constant", "reactive", "nebulous"]
    assert {one.means[JobQuantity.SERVERS].value for one in found.baselines} == {2}


def test_promises_are_ruled_on_by_the_whole_interval():
    kept = days([2.0] * 40, [1_800 * day for day in range(20)])
    passed = verdict(plan(violations_ppm=200_000), kept, Linear())
    assert (passed.ruling, passed.exit_code, passed.more_windows) == (Ruling.PASS, 0, None)
    # None of 20 jobs is late, but 3 might have been; of 30 that is a tenth.
    open_ = verdict(plan(violations_ppm=100_000), kept, Linear())
    assert (open_.ruling, open_.exit_code, open_.more_windows) == (Ruling.UNDECIDED, 4, 10)
    few = verdict(plan(violations_ppm=900_000), kept[:1], Linear())
    assert (few.ruling, few.more_windows) == (Ruling.UNDECIDED, 3)
    # No number of windows shows that none is ever late.
    never = verdict(plan(violations_ppm=0), kept, Linear())
    assert (never.ruling, never.more_windows) == (Ruling.UNDECIDED, None)


def test_without_windows_nothing_is_judged():
    with pytest.raises(ValueError, match="one window"):
        verdict(plan(), (), Linear())


def test_baselines_that_are_named_are_replayed_and_run_times_stay_relative_to_constant():
    windows = days([2.0] * 4, [0, 1_800])
    every = verdict(plan(100, 1), windows, Linear())
    found = verdict(plan(100, 1), windows, Linear(), ("reactive-15min", "nebulous"))
    assert [one.name for one in found.baselines] == ["reactive-15min", "nebulous"]
    assert found.policy.means == every.policy.means
    # A quarter of an hour is how far they look ahead where nothing else is said.
    assert [one.means for one in found.baselines] == [one.means for one in every.baselines[1:]]
