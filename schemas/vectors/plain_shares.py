"""What a form of shares does tick by tick, written as plainly as can be, over plain JSON.

As in linear_scan, expected answers come from here and not from any code that ships. Doubles are
added and multiplied in the order that docs/artifact-format.md states; all else is whole numbers.
"""

from __future__ import annotations

from typing import Any

MILLION, THOUSAND = 1_000_000, 1_000
MOST_LEVEL = 1_000.0

Numbers = dict[str, Any]


def begin(shares: dict[str, Any]) -> Numbers:
    """What is remembered before the first tick."""
    served = [machine for machine in shares["machines"] if "target_milli" in machine]
    machines = []
    for machine in served:
        a = machine["first_a_ppm"] / MILLION
        b = machine["first_b_milli"] / machine["target_milli"]
        covariance = float(shares["first_covariance"])
        machines.append(
            {
                "target": machine["target_milli"] / THOUSAND,
                "a": a,
                "b": b,
                "p": [covariance, 0.0, covariance],
                "believed": (a, b),
                "levels": [],
                "before": None,
                "missed": [0.0, 0.0],
                "short": 0,
            }
        )
    asked = [_in_limits(shares, (1.0 - one["a"]) / one["b"]) for one in machines]
    grants = _grants(shares, asked)
    return {"ticks": 0, "machines": machines, "grants": grants, "grants_before": grants}


def tick(shares: dict[str, Any], state: Numbers, throughput: tuple[float, ...]) -> None:
    """Change `state` to what it is a tick later."""
    state["ticks"] += 1
    ticks = state["ticks"]
    lag = shares["step_us"] // shares["estimate_us"]
    full = -(-shares["window_us"] // shares["estimate_us"])
    of_served = _of_served(shares, state["grants"])
    of_served_before = _of_served(shares, state["grants_before"])
    since = (ticks - 1) % lag + 1
    for place, one in enumerate(state["machines"]):
        level = min(throughput[place] / one["target"], MOST_LEVEL)
        granted = since * of_served[place] + (lag - since) * of_served_before[place]
        if ticks >= full + lag:
            _estimate(shares, one, one["levels"][-lag], granted / (lag * MILLION), level)
        one["levels"].append(level)
    if ticks % lag == 0 and ticks >= full:
        _step(shares, state, of_served)


def _estimate(shares: dict[str, Any], one: Numbers, x: float, u: float, y: float) -> None:
    """Recursive least squares with forgetting."""
    forgetting = shares["forgetting_ppm"] / MILLION
    p_aa, p_ab, p_bb = one["p"]
    h_a = p_aa * x + p_ab * u
    h_b = p_ab * x + p_bb * u
    weight = forgetting + (x * h_a + u * h_b)
    k_a = h_a / weight
    k_b = h_b / weight
    error = y - (one["a"] * x + one["b"] * u)
    one["a"] = one["a"] + k_a * error
    one["b"] = one["b"] + k_b * error
    p = [p_aa - k_a * h_a, p_ab - k_a * h_b, p_bb - k_b * h_b]
    if p[0] + p[2] <= 2 * shares["first_covariance"] * forgetting:
        p = [part / forgetting for part in p]
    one["p"] = p
    if -1.0 < one["a"] < 1.0 and one["b"] > shares["least_b_ppm"] / MILLION:
        one["believed"] = (one["a"], one["b"])


def _step(shares: dict[str, Any], state: Numbers, of_served: list[int]) -> None:
    asked = []
    for one, granted in zip(state["machines"], of_served, strict=True):
        asked.append(_in_limits(shares, _request(shares, one, granted / MILLION)))
    state["grants_before"] = state["grants"]
    state["grants"] = _grants(shares, asked)
    now = _of_served(shares, state["grants"])
    for one, wanted, got in zip(state["machines"], asked, now, strict=True):
        level = one["levels"][-1]
        is_short = level < 1.0 and (got < wanted or got == shares["host_ppm"])
        one["short"] = one["short"] + 1 if is_short else 0
        one["before"] = level


def _request(shares: dict[str, Any], one: Numbers, share: float) -> float:
    pole = shares["pole_ppm"] / MILLION
    a, b = one["believed"]
    level, before = one["levels"][-1], one["before"]
    if shares["law"] == "pole-placement":
        gain = (1.0 - pole) / b
        error_before = 0.0 if before is None else 1.0 - before
        return (share + gain * (1.0 - level)) - (a * gain) * error_before
    error = 0.0 if before is None else level - (a * before + b * share)
    one["missed"] = [one["missed"][1], error]
    # The middle one of both and 0.
    lasting = sorted([0.0, *one["missed"]])[1]
    return (((1.0 - pole) + (pole - a) * level) - lasting) / b


def _in_limits(shares: dict[str, Any], request: float) -> int:
    millionths = request * MILLION
    if millionths >= shares["host_ppm"]:
        return shares["host_ppm"]
    if millionths <= shares["least_ppm"]:
        return shares["least_ppm"]
    return int(millionths)


def _grants(shares: dict[str, Any], asked: list[int]) -> list[int]:
    """By machine, those without a target included."""
    given = _cut_down(asked, shares["host_ppm"], shares["least_ppm"])
    others = len(shares["machines"]) - len(asked)
    rest = max(shares["host_ppm"] - sum(asked), 0)
    served = iter(given)
    return [
        next(served) if "target_milli" in machine else rest // others
        for machine in shares["machines"]
    ]


def _cut_down(asked: list[int], host: int, least: int) -> list[int]:
    if sum(asked) <= host:
        return asked
    fixed: list[int] = []
    while True:
        free = [place for place in range(len(asked)) if place not in fixed]
        rest = host - least * len(fixed)
        total = sum(asked[place] for place in free)
        given = [least] * len(asked)
        for place in free:
            given[place] = asked[place] * rest // total
        too_small = [place for place in free if given[place] < least]
        if not too_small:
            return given
        fixed += too_small


def _of_served(shares: dict[str, Any], grants: list[int]) -> list[int]:
    pairs = zip(shares["machines"], grants, strict=True)
    return [grant for machine, grant in pairs if "target_milli" in machine]
