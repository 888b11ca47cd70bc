"""The paired change of energy of policies on whole cores."""

from tailc.diff.behaviour import behaviour
from tailc.diff.change import Significance
from tailc.experiment.options import VerifyOptions
from tests.tailc.models.core_types.servers import cores, row
from tests.tailc.models.core_types.usage_case import STILL, alike, policy
from tests.tailc.verify.policies import climbing, held_out
from tests.tailc.verify.policies import policy as thread_policy

OPTIONS = VerifyOptions(replicates=49, requests_per_replay=2000)


def amp(threshold_ms: float, *controller):
    return policy(cores([20, 20], row((0, 0), (threshold_ms, 1))), *controller)


def energy(old, new):
    quantities = behaviour(old, new, alike(), OPTIONS).points[0].quantities
    found = [one for one in quantities if one.name == "mean energy"]
    assert all(one.unit == "power_us" for one in found)
    return found[0].change if found else None


def test_a_lower_threshold_costs_what_the_formula_says():
    # 100 ms of work: 50 + 25 * 6 and 20 + 40 * 6, in power times ms
    change = energy(amp(50), amp(20))
    assert (change.old, change.new, change.difference) == (200_000, 260_000, 60_000)
    assert change.significance is Significance.WORSE
    assert energy(amp(20), amp(50)).significance is Significance.BETTER


def test_a_controller_that_halves_the_ages_is_the_policy_of_half_the_ages():
    change = energy(amp(50, STILL), amp(25))
    assert change.difference == 0


def test_policies_on_threads_have_no_energy():
    old = thread_policy(form=climbing(4), rates_mrps=(20_000,))
    new = thread_policy(form=climbing(8), rates_mrps=(20_000,))
    quantities = behaviour(old, new, held_out(200), OPTIONS).points[0].quantities
    assert "mean energy" not in [one.name for one in quantities]


def test_look_ups_on_cores_are_not_asked_of_the_other():
    became = behaviour(amp(50), amp(20), alike(), OPTIONS)
    assert "which other cores are free" in became.decisions.unknown
