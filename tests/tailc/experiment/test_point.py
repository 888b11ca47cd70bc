"""Energy of runs over that of a reference baseline, by hand."""

import pytest

from tailc.experiment.point import Point, Run
from tailc.models.core_types.usage import CoreTypesUse
from tailc.models.energy import EnergyRatio, EnergyUse
from tailc.models.server_load import Load, RungUse
from tailc.models.shared_cores.usage import SharedCoresUse
from tailc.models.usage import Usage

UNUSED = RungUse(0, 0, 0, ())


def use(request_us: int, idle_us: int = 0) -> CoreTypesUse:
    return CoreTypesUse(EnergyUse(request_us, None, idle_us, ()), None)


def run(name: str, usage: Usage, *, overloaded: bool = False) -> Run:
    load = Load(0, None, 0, 0, 0, 0, UNUSED, is_overloaded=overloaded)
    return Run(name, "", load, (), usage)


def compared(policy: Run, *baselines: Run, other_ppm: int = 0) -> Point:
    return Point("1/s", 1_000, policy, baselines).with_ratios(other_ppm)


def ratio(one: Run) -> EnergyRatio | None:
    assert isinstance(one.usage, CoreTypesUse)
    return one.usage.energy.ratio


def test_where_tl_is_no_baseline_the_first_one_is_the_reference():
    ours, ee, s2f = run("ours", use(1)), run("EE", use(10)), run("S2F", use(20))
    assert compared(ours, ee, s2f).reference == "EE"
    assert compared(ours, ee, run("TL", use(30))).reference == "TL"
    assert compared(ours).reference is None


def test_other_power_is_a_share_of_the_reference_s_server():
    point = compared(run("ours", use(40, 10)), run("TL", use(80, 20)), other_ppm=500_000)
    assert ratio(point.policy) == EnergyRatio(500_000, 750_000)
    assert ratio(point.baselines[0]) == EnergyRatio(1_000_000, 1_000_000)


@pytest.mark.parametrize(("ours", "theirs"), [(True, False), (False, True)])
def test_nothing_is_relative_to_or_of_an_overloaded_server(ours, theirs):
    policy, base = run("a", use(1), overloaded=ours), run("TL", use(1), overloaded=theirs)
    assert ratio(compared(policy, base).policy) is None


def test_a_baseline_whose_energy_is_not_known_is_no_reference():
    point = compared(run("a", use(1)), run("TL", SharedCoresUse()))
    assert point.reference is None
    assert ratio(point.policy) is None
