from tailc.problems.control import ControllerTerms, ControlProblem

PER_S = 1_000


def problem(*rates: int, **changes) -> ControlProblem:
    told = {"intervals": 3, **changes}
    rates_mrps = tuple(rate * PER_S for rate in rates)
    return ControlProblem(990_000, 200_000, 500, 2_000, ControllerTerms.PI, rates_mrps, **told)


def test_equal_parts_go_up_to_the_highest_rate_and_have_their_middles():
    asked = problem(20, 90)
    assert asked.first_rates_mrps == (0, 30 * PER_S, 60 * PER_S)
    assert asked.middle_rates_mrps == (15 * PER_S, 45 * PER_S, 75 * PER_S)


def test_the_paper_s_boundaries_have_the_paper_s_representative_loads():
    # Haque et al., MICRO 2017, table 2: below 50, 50 to 70, above 70; 25, 60 and 80 (which would
    # be the middle of 70 to 90).
    asked = problem(90, intervals=3, boundaries_mrps=(50 * PER_S, 70 * PER_S))
    assert asked.first_rates_mrps == (0, 50 * PER_S, 70 * PER_S)
    assert asked.middle_rates_mrps == (25 * PER_S, 60 * PER_S, 80 * PER_S)


def test_parts_of_a_rate_that_three_does_not_divide_are_rounded_to_the_nearest():
    asked = problem(20, 40)
    assert asked.first_rates_mrps == (0, 13_333, 26_667)
    assert asked.middle_rates_mrps == (6_667, 20_000, 33_334)


def test_a_rate_of_fewer_thousandths_than_parts_has_as_many_parts():
    asked = ControlProblem(990_000, 200_000, 500, 2_000, ControllerTerms.PI, (2,), intervals=3)
    assert asked.first_rates_mrps == (0, 1)
