"""Weights of brown energy and promises, as a user writes them."""

import pytest
from pydantic import TypeAdapter, ValidationError

from tailc.specs.plan_weights import ViolationsPpm, WeightsSpec


def test_a_kwh_counts_its_price_if_nothing_is_said():
    weights = WeightsSpec()
    assert (weights.money, weights.energy, weights.carbon) == (1, 0, 0)


def test_a_dollar_for_a_tonne_is_a_millionth_for_a_gram():
    weights = WeightsSpec.model_validate({"money": 0, "carbon": "80USD/t", "energy": "5c/kWh"})
    assert weights.carbon == 80
    assert weights.energy == 50_000


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ({"money": 0}, "are all zero"),
        ({"money": -1}, "greater than or equal to 0"),
        ({"carbon": "80EUR/t"}, "is not a unit of a price of CO2"),
        ({"carbon": "0.5USD/t"}, "is below the smallest value, `1USD/t`"),
    ],
)
def test_weights_that_weigh_nothing_are_refused(written, says):
    with pytest.raises(ValidationError, match=says):
        WeightsSpec.model_validate(written)


def test_a_promise_is_at_most_all_jobs():
    violations = TypeAdapter(ViolationsPpm)
    assert violations.validate_python("0%") == 0
    assert violations.validate_python("2.5%") == 25_000
    with pytest.raises(ValidationError, match="at most 100 %"):
        violations.validate_python("101%")
