"""A metric that a later version may bring, for tests of what today's version does about it."""

from __future__ import annotations

from tailc.specs.slo import Metric


def later_metric() -> Metric:
    """`time-to-first-token`: a member that `Metric` does not list."""
    metric = object.__new__(Metric)
    metric._name_ = "TIME_TO_FIRST_TOKEN"
    metric._value_ = "time-to-first-token"
    return metric
