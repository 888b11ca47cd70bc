from tailc.report.energy import energy_text, power_text

PPM = 1_000_000


def test_a_watt_for_a_millisecond_is_a_millijoule():
    assert energy_text(PPM * 1_000, is_in_watts=True) == "1 mJ"
    # 984 mW for 50 ms.
    assert energy_text(984_000 * 50_000, is_in_watts=True) == "49.2 mJ"


def test_relative_powers_are_told_in_the_time_of_a_slow_core():
    assert energy_text(6_800_000 * 10_000, is_in_watts=False) == "68 slow-core ms"


def test_powers_have_their_unit():
    assert power_text(26_600_000, is_in_watts=False) == "26.6 slow cores"
    assert power_text(115_000, is_in_watts=True) == "0.115 W"
