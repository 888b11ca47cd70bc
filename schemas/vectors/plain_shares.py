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
                "busy": max(_lag(shares), _full(shares)),
                "mode": "free",
                "cap": shares["host_ppm"],
                "count": 0,
                "sums": [0.0, 0],
                "means": (0.0, 0.0),
                "need": (1.0 - a) / b,
                "first": (a, b),
            }
        )
    asked = [_in_limits(shares, (1.0 - one["a"]) / one["b"]) for one in machines]
    grants = _grants(shares, asked)
    return {"ticks": 0, "machines": machines, "grants": grants, "grants_before": grants}


def tick(
    shares: dict[str, Any],
    state: Numbers,
    throughput: tuple[float, ...],
    waiting: tuple[int, ...] | None = None,
) -> None:
    """Change `state` to what it is a tick later; `waiting` None: nothing is known of it."""
    state["ticks"] += 1
    ticks, lag, full = state["ticks"], _lag(shares), _full(shares)
    of_served = _of_served(shares, state["grants"])
    of_served_before = _of_served(shares, state["grants_before"])
    since = (ticks - 1) % lag + 1
    for place, one in enumerate(state["machines"]):
        level = min(throughput[place] / one["target"], MOST_LEVEL)
        granted = since * of_served[place] + (lag - since) * of_served_before[place]
        one["busy"] = 0 if waiting and waiting[place] == 0 else one["busy"] + 1
        is_sample = one["busy"] >= max(lag, full) and one["mode"] == "free"
        if is_sample and ticks >= full + lag:
            _estimate(shares, one, one["levels"][-lag], granted / (lag * MILLION), level)
        one["levels"].append(level)
    if ticks % lag == 0 and ticks >= full:
        _step(shares, state, of_served)


def cannot_meet(shares: dict[str, Any], state: Numbers) -> list[bool]:
    """By served machine."""
    short = [one["short"] >= shares["shortage_steps"] for one in state["machines"]]
    if "cap" not in shares:
        return short
    host = shares["host_ppm"] / MILLION
    beyond = [
        is_short and 1.0 - one["believed"][0] > one["believed"][1] * host
        for is_short, one in zip(short, state["machines"], strict=True)
    ]
    capped = [one["mode"] in ("capped", "probe") for one in state["machines"]]
    return [x or y for x, y in zip(beyond if True in beyond else short, capped, strict=True)]


def _lag(shares: dict[str, Any]) -> int:
    return shares["step_us"] // shares["estimate_us"]


def _full(shares: dict[str, Any]) -> int:
    return -(-shares["window_us"] // shares["estimate_us"])


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
    asked = [
        _requested(shares, one, granted)
        for one, granted in zip(state["machines"], of_served, strict=True)
    ]
    state["grants_before"] = state["grants"]
    state["grants"] = _grants(shares, asked)
    now = _of_served(shares, state["grants"])
    for one, wanted, got in zip(state["machines"], asked, now, strict=True):
        if one["before"] >= 1.0:
            one["short"] = 0
        elif got < wanted or got == shares["host_ppm"]:
            one["short"] += 1
        elif one["mode"] != "trial" and one["count"] >= 0:
            one["short"] = 0


def _requested(shares: dict[str, Any], one: Numbers, had: int) -> int:
    """In millionths; what is remembered of the machine is changed for the next step."""
    level, before = one["levels"][-1], one["before"]
    ran_out = one["busy"] < _full(shares)
    if ran_out:
        level = max(level, 1.0)
    if "cap" in shares:
        _change_cap(shares, one, level, had)
    share = had / MILLION
    a, b = one["believed"]
    error = 0.0 if ran_out or before is None else level - (a * before + b * share)
    one["missed"] = [one["missed"][1], error]
    request = _request(shares, one, level, share)
    if ran_out:
        request = min(share, (1.0 - a) / b)
    one["before"] = level
    return _in_limits(shares, request) if one["mode"] == "free" else one["cap"]


def _request(shares: dict[str, Any], one: Numbers, level: float, share: float) -> float:
    """What the law asks for."""
    pole = shares["pole_ppm"] / MILLION
    a, b = one["believed"]
    if shares["law"] == "pole-placement":
        gain = (1.0 - pole) / b
        error_before = 0.0 if one["before"] is None else 1.0 - one["before"]
        return (share + gain * (1.0 - level)) - (a * gain) * error_before
    # The middle one of both errors and 0.
    lasting = sorted([0.0, *one["missed"]])[1]
    return (((1.0 - pole) + (pole - a) * level) - lasting) / b


def _change_cap(shares: dict[str, Any], one: Numbers, level: float, had: int) -> None:
    if level >= 1.0 and one["before"] is not None and one["before"] >= 1.0:
        _begin(one, "free", shares["host_ppm"], 0)
    elif one["count"] < 0:
        one["count"] += 1
    elif one["mode"] == "free" and not _has_too_much(shares, one, level, had):
        _begin(one, "free", shares["host_ppm"], 0)
    else:
        one["count"] += 1
        one["sums"] = [one["sums"][0] + level, one["sums"][1] + had]
        is_capped = one["mode"] == "capped"
        if one["count"] == shares["cap"]["probe_steps" if is_capped else "steps"]:
            _end_mode(shares, one)


def _has_too_much(shares: dict[str, Any], one: Numbers, level: float, had: int) -> bool:
    return one["short"] > 0 and level < 1.0 and had > _with_headroom(shares, one, level)


def _with_headroom(shares: dict[str, Any], one: Numbers, level: float) -> int:
    factor = (MILLION + shares["cap"]["headroom_ppm"]) / MILLION
    return _in_limits(shares, factor * (level * one["need"]))


def _end_mode(shares: dict[str, Any], one: Numbers) -> None:
    count, (levels, millionths) = one["count"], one["sums"]
    level, share = levels / count, millionths / (count * MILLION)
    level_before, share_before = one["means"]
    one["means"] = level, share
    factor = MILLION + shares["cap"]["headroom_ppm"]
    settling = -(-shares["window_us"] // shares["step_us"]) - 1
    for_target = _in_limits(shares, one["need"])
    if one["mode"] == "free":
        cap = max(millionths * MILLION // (count * factor), shares["least_ppm"])
        _begin(one, "trial", cap, -settling)
        # The model restarts.
        one["a"], one["b"] = one["believed"] = one["first"]
        one["p"] = [float(shares["first_covariance"]), 0.0, float(shares["first_covariance"])]
        return
    if one["mode"] == "capped":
        cap = max(one["cap"] * factor // MILLION, for_target * MILLION // factor)
        cap = min(cap, shares["host_ppm"])
        _begin(one, "probe", cap, -settling)
        return
    # Lower and higher, by their shares.
    (y, r), (y_more, r_more) = (level, share), (level_before, share_before)
    if one["mode"] == "probe":
        (y, r), (y_more, r_more) = (y_more, r_more), (y, r)
    if y * r_more < y_more * (0.5 * (r + r_more)):
        _begin(one, "free", shares["host_ppm"], -shares["cap"]["probe_steps"])
    else:
        cap = min(_with_headroom(shares, one, level), for_target)
        _begin(one, "capped", cap, -settling)


def _begin(one: Numbers, mode: str, cap: int, count: int) -> None:
    one["mode"], one["cap"], one["count"], one["sums"] = mode, cap, count, [0.0, 0]


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
