"""The policy with one set of gains at every load (Haque et al., MICRO 2017, figure 4)."""

from __future__ import annotations

from dataclasses import replace

from tailc.forms.controller import Controller
from tailc.models.subject import Subject


def one_gain(policy: Subject) -> Subject:
    """The gains of the middle row, the lower one of two, hold at every rate."""
    controller = policy.steering
    assert isinstance(controller, Controller)
    middle = controller.gains[(len(controller.gains) - 1) // 2]
    alone = replace(controller, gains=(replace(middle, first_rate_mrps=0),))
    return replace(policy, name="one set of gains", steering=alone, note="")
