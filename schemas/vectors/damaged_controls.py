"""Controllers and ladders of cores that a reader must refuse, each for one thing."""

from __future__ import annotations

from typing import Any

from changed import Change, changed
from policies import named_policies

from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json
from tailc.artifact.seal import seal, unseal
from tailc.forms.controller import (
    LARGEST_AGE_US,
    LARGEST_ERROR_US,
    LARGEST_GAIN,
    LARGEST_WINDOW,
)

PPM = 1_000_000
_WORD = 8


def damaged_controls() -> dict[str, tuple[str, bytes]]:
    """File name to the error it must give and its bytes: all contradict themselves."""
    policy = named_policies()["controller"][1]
    document = encode_json(policy)
    in_json = {
        f"{name}.json": ("bad-meaning", changed(document, change))
        for name, change in _changes().items()
    }
    first, *_, last = policy.controller.gains
    return {
        **in_json,
        "controller-gain.tailc": ("bad-meaning", _with_number(first.kp, LARGEST_GAIN + 1)),
        "controller-gain-below.tailc": ("bad-meaning", _with_number(last.kd, -LARGEST_GAIN - 1)),
    }


def _with_number(old: int, new: int) -> bytes:
    """The buffer with the one number `old` in it replaced."""
    payload = unseal(encode_flat(named_policies()["controller"][1]))
    before, after = (number.to_bytes(_WORD, "little", signed=True) for number in (old, new))
    assert payload.count(before) == 1
    return seal(payload.replace(before, after))


def _changes() -> dict[str, Change]:
    return {
        "controller-gain": _in_gains(0, kp=LARGEST_GAIN + 1),
        "controller-gain-below": _in_gains(1, kd=-LARGEST_GAIN - 1),
        "controller-rates": _in_gains(2, first_rate_mrps=50_000),
        "controller-first-rate": _in_gains(0, first_rate_mrps=1),
        "controller-no-gains": _in_controller(gains=[]),
        "controller-percentile": _in_controller(percentile_ppm=PPM),
        "controller-target": _in_controller(target_us=LARGEST_ERROR_US + 1),
        "controller-epoch": _in_controller(epoch_requests=0),
        "controller-window": _in_controller(window_requests=499),
        "controller-wide-window": _in_controller(window_requests=LARGEST_WINDOW + 1),
        "controller-first": _in_controller(first_ppm=50_000),
        "controller-limits": _in_controller(most_ppm=PPM + 1),
        "controller-few-bits": _in_controller(fraction_bits=20),
        "controller-many-bits": _in_controller(fraction_bits=41),
        "controller-actuator": _in_controller(acts_on="fan-speed"),
        "controller-twice": lambda policy: policy["forms"].append(policy["forms"][-1]),
        "controller-before": lambda policy: policy["forms"].reverse(),
        "controller-alone": _without_ladders,
        "controller-late": _with_late_climb,
        "cores-no-power": lambda policy: policy["forms"][0].pop("power"),
        "cores-limited-power": _in_power(unit=0),
        "cores-short-power": _in_power(idle_ppm=[0, 0, 0]),
        "cores-idle-power": _in_power(idle_ppm=[0, 0, 0, 1]),
        "cores-two-kinds": _in_rung(cost_ppm=[PPM, PPM, 0, PPM]),
        "cores-no-kind": _in_rung(cost_ppm=[0, 0, 0, PPM]),
        "cores-half": _in_rung(cost_ppm=[0, PPM // 2, 0, PPM]),
        "cores-no-move": _in_rung(move_us=0),
        "cores-part-of-one": _with_part_of_a_core,
        "cores-without-rule": _in_ladder(rules=[]),
        "cores-room-alone": _in_ladder(rules=["make-room"]),
    }


def _in_controller(**members: Any) -> Change:
    return lambda policy: policy["forms"][-1].update(members)


def _in_gains(row: int, **members: int) -> Change:
    return lambda policy: policy["forms"][-1]["gains"][row].update(members)


def _in_ladder(**members: Any) -> Change:
    return lambda policy: policy["forms"][0].update(members)


def _in_power(**members: Any) -> Change:
    return lambda policy: policy["forms"][0]["power"].update(members)


def _in_rung(**members: Any) -> Change:
    return lambda policy: policy["forms"][0]["rungs"][1].update(members)


def _without_ladders(policy: dict[str, Any]) -> None:
    policy["forms"] = policy["forms"][-1:]


def _with_late_climb(policy: dict[str, Any]) -> None:
    policy["forms"][0]["rows"][-1]["climbs"][-1]["age_us"] = LARGEST_AGE_US + 1


def _with_part_of_a_core(policy: dict[str, Any]) -> None:
    policy["forms"][0]["cost_units"][0]["capacity_ppm"] = 1_500_000
