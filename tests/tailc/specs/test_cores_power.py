import pytest

from tailc.specs.cores_power import (
    PUBLISHED,
    cubic_ppm,
    cubic_static_ppm,
    micro_ppm,
    server_energy,
    server_saving,
)

PPM = 1_000_000


@pytest.mark.parametrize(
    ("speed", "power"), [(1, 1), (1.44, 2.985984), (1.59, 4.019679), (1.71, 5.000211), (2, 8)]
)
def test_cubic_power_rounds_to_the_dissertation_s_table(speed, power):
    assert cubic_ppm(round(speed * PPM)) == round(power * PPM)
    in_table = PUBLISHED["dissertation-2016"][round(speed * PPM)].power_ppm
    assert round(cubic_ppm(round(speed * PPM)) / PPM) * PPM == in_table


@pytest.mark.parametrize(("speed", "power"), [(1.44, 2.706), (1.59, 3.547), (1.71, 4.326)])
def test_the_paper_s_exponent_gives_its_figures(speed, power):
    assert micro_ppm(round(speed * PPM)) / PPM == pytest.approx(power, abs=5e-4)


def test_the_exponent_matches_two_of_the_paper_s_four_powers_and_not_the_others():
    table = PUBLISHED["micro-2017-amp"]

    def off(speed: float) -> float:
        return abs(micro_ppm(round(speed * PPM)) - table[round(speed * PPM)].power_ppm) / PPM

    assert max(off(1.44), off(1.59)) < 0.05
    assert off(1.71) > 0.15
    assert off(2) > 0.15


def test_static_power_can_only_lower_the_exponent_s_figure():
    assert micro_ppm(2 * PPM, 200_000) < micro_ppm(2 * PPM) < 6_800_000
    assert micro_ppm(2 * PPM, 200_000) == round(0.8 * micro_ppm(2 * PPM) + 0.2 * 2 * PPM)


def test_static_power_of_a_fifth_of_the_chip_is_a_quarter_of_its_dynamic_peak():
    # 20 % of the total where 80 % are dynamic.
    assert cubic_static_ppm(16 * PPM) == 4 * PPM


def test_what_is_saved_of_a_server_is_the_cores_share_of_it():
    assert server_saving(0.22, 0.67) == pytest.approx(0.1474)


def test_the_rest_of_a_server_is_paid_whatever_the_cores_save():
    # The rest is half of the server's peak, so as much as the cores' peak of 10.
    assert server_energy([4.0, 8.0], full=10.0, other_share=0.5) == [14.0, 18.0]
