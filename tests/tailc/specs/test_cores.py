"""Expected sums are those printed in, or worked out from, the papers' tables."""

import pytest

from tailc.specs.cores import (
    Cores,
    CoreType,
    DominatedType,
    PowerUnit,
    dominated_types,
    peak_spread,
    without_types,
)
from tailc.specs.cores_power import PUBLISHED

PPM = 1_000_000


def table(name: str, **counts: int) -> Cores:
    """Cores of a published table by the names there, `_` for a plus and `0` for a minus."""
    types = []
    for speed_ppm, core in sorted(PUBLISHED[name].items()):
        key = core.name.replace("+", "_").replace("-", "0")
        if counts.get(key):
            types.append(CoreType(core.name, counts[key], speed_ppm, core.power_ppm))
    assert len(types) == len(counts)
    return Cores(tuple(types), False, PowerUnit.SLOW_CORE)


def types(*speed_power: tuple[float, float]) -> Cores:
    made = [
        CoreType(f"t{at}", 1, round(speed * PPM), round(power * PPM))
        for at, (speed, power) in enumerate(speed_power)
    ]
    return Cores(tuple(made), False, PowerUnit.SLOW_CORE)


def test_the_dissertation_s_six_configurations_draw_sixteen_slow_cores_at_peak():
    six = [
        table("dissertation-2016", slow=16),
        table("dissertation-2016", slow=8, fast=1),
        table("dissertation-2016", slow=5, medium=1, fast=1),
        table("dissertation-2016", slow=4, medium_=1, fast=1),
        table("dissertation-2016", slow=3, medium__=1, fast=1),
        table("dissertation-2016", fast=2),
    ]
    assert [cores.peak_ppm for cores in six] == [16 * PPM] * 6
    assert peak_spread(six) == 0


def test_the_paper_s_default_is_comparable_with_four_fast_dvfs_cores():
    amp = table("micro-2017-amp", slow=13, fast=2)
    levels = sorted(PUBLISHED["micro-2017-dvfs"].items())
    dvfs = Cores(
        tuple(CoreType(core.name, 4, speed, core.power_ppm) for speed, core in levels),
        True,
        PowerUnit.SLOW_CORE,
    )
    assert (amp.peak_ppm, dvfs.peak_ppm) == (26_600_000, 27_200_000)
    assert peak_spread([amp, dvfs]) == pytest.approx(27.2 / 26.6 - 1)
    assert table("micro-2017-amp", slow=7, medium=2, fast=2).peak_ppm == 27_600_000


def test_with_a_ratio_of_six_and_a_half_three_sizes_draw_four_fast_cores():
    def peak(ratio: float, fast: int, slow: int) -> float:
        made = CoreType("slow", slow, PPM, PPM), CoreType("fast", fast, 2 * PPM, round(ratio * PPM))
        return Cores(made, False, PowerUnit.SLOW_CORE).peak_ppm / (ratio * PPM)

    assert [peak(*each) for each in ((6.5, 2, 13), (5, 2, 10), (4, 2, 8))] == [4.0, 4.0, 4.0]


def test_the_paper_s_six_configurations_spread_by_a_tenth():
    six = [
        table("micro-2017-amp", fast=2),
        table("micro-2017-amp", slow=8, fast=1),
        table("micro-2017-amp", slow=5, medium0=1, fast=1),
        table("micro-2017-amp", slow=4, medium=1, fast=1),
        table("micro-2017-amp", slow=3, medium_=1, fast=1),
        table("micro-2017-amp", slow=15),
    ]
    peaks = [cores.peak_ppm / PPM for cores in six]
    assert peaks == [13.6, 14.8, 14.5, 14.3, 14.3, 15.0]
    assert 0.10 < peak_spread(six) < 0.11


def test_watts_and_slow_cores_are_not_compared():
    watts = Cores(types((1, 1)).types, False, PowerUnit.WATT)
    with pytest.raises(ValueError, match="cannot be compared"):
        peak_spread([watts, types((1, 1))])


def test_a_core_that_works_no_cheaper_than_a_faster_one_is_dominated():
    cores = types((1, 1), (1.5, 4), (2, 5), (3, 20))
    assert dominated_types(cores) == (DominatedType("t1", "t2"),)
    assert [each.name for each in without_types(cores, ["t1"]).types] == ["t0", "t2", "t3"]


def test_equal_energy_for_the_same_work_is_dominated_too():
    assert dominated_types(types((1, 1), (2, 2))) == (DominatedType("t0", "t1"),)


def test_no_published_table_has_a_dominated_amp_core():
    for name in ("micro-2017-amp", "dissertation-2016"):
        made = [(speed / PPM, core.power_ppm / PPM) for speed, core in PUBLISHED[name].items()]
        assert dominated_types(types(*made)) == ()


def test_slow_cores_are_about_three_times_as_efficient_as_fast_ones():
    micro, dissertation = PUBLISHED["micro-2017-amp"], PUBLISHED["dissertation-2016"]
    assert micro[2 * PPM].power_ppm / 2 == 3.4 * PPM
    assert dissertation[2 * PPM].power_ppm / 2 == 4 * PPM


def test_the_lowest_dvfs_level_draws_a_quarter_of_the_highest():
    levels = PUBLISHED["micro-2017-dvfs"]
    assert levels[PPM].power_ppm / levels[2 * PPM].power_ppm == 0.25
