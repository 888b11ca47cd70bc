"""Reports of robustness: which errors of its inputs a table tolerates, and at what cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tailc.artifact.envelope import Evidence
from tailc.percentiles import PPM
from tailc.report.energy import energy_text, in_watts
from tailc.report.judging import OVERLOADED, judging_text
from tailc.report.table import align_columns
from tailc.units import digits_text, format_mrps, format_ppm, format_us

if TYPE_CHECKING:
    from tailc.forms.ladder.table import Ladder
    from tailc.tuning.robust.comparison import MeanChange, MeanTail, NominalAndWorst, RobustRate
    from tailc.tuning.robust.robustness import Robustness, RobustTables
    from tailc.tuning.robust.search import RobustTable
    from tailc.tuning.tuned_table import TunedTable

_NO_DAYS = "the cases have no days: `search.robust.days` names no column"
_NOTHING = "no error: the first objective is not met at every rate as measured"


def robustness_result(result: Robustness) -> dict[str, object]:
    """Build the JSON data of the robustness radius."""
    return {"robust": _radius_result(result)}


def _radius_result(result: Robustness) -> dict[str, object]:
    radius = result.radius
    reached = {one.axis.value: {"ppm": one.ppm, "is_all": one.is_all} for one in radius.reaches}
    return {"holds": radius.holds, "judged_on": result.judged_on, "radius": reached}


def robust_result(tables: RobustTables) -> dict[str, object]:
    """Build the JSON data of a robust compile.

    It has the radius, and by rate the nominal and worst-case tails [us] with intervals. On cores it
    has the energy of a request too, in 1e-6 of the unit of power times us.
    """
    return {"robust": _radius_result(tables.robustness) | _hardened_result(tables.hardened)}


def _hardened_result(hard: RobustTable) -> dict[str, object]:
    return {
        "is_better": hard.compared.is_better,
        "formula_part_ppm": hard.compared.formula_part_ppm,
        "cases": list(hard.cases),
        "searched": hard.searched,
        "requests": hard.requests,
        "rates": [
            {
                "rate_mrps": stands.rate_mrps,
                **{name: _stand_result(one, hard.cases) for name, one in _tables(stands)},
                "price": stands.price and vars(stands.price),
                "gain": stands.gain and vars(stands.gain),
            }
            for stands in hard.compared.rates
        ],
    }


def _tables(stands: RobustRate) -> tuple[tuple[str, NominalAndWorst], ...]:
    return ("formula", stands.formula), ("plain", stands.plain), ("robust", stands.robust)


def _tail_result(tail: MeanTail) -> dict[str, object]:
    """Convert a tail to JSON data; values are null if the table is overloaded."""
    members = {"us": tail.us, "low_us": tail.low_us, "high_us": tail.high_us}
    return {name: None if tail.overloaded else us for name, us in members.items()}


def _stand_result(stand: NominalAndWorst, cases: tuple[str, ...]) -> dict[str, object]:
    members: dict[str, object] = {
        "nominal": _tail_result(stand.nominal),
        "worst": _tail_result(stand.worst),
        "worst_case": cases[stand.case],
    }
    if stand.drawn is not None:
        members |= {
            "energy": stand.drawn.nominal,
            "most_energy": stand.drawn.most,
            "most_energy_case": cases[stand.drawn.case],
        }
    return members


def robust_text(tables: RobustTables, evidence: Evidence) -> str:
    """Format the worst case of each table, and the cost of robustness under nominal inputs.

    evidence: of the policy; it has the radius and the unit of power.
    """
    hard, plain = tables.hardened, tables.plain
    judging = judging_text(plain, "other replays")
    lines = [f"worst of {len(hard.cases)} cases, {judging}: {_choice_text(plain, hard)}"]
    if tables.robustness.ambiguity.days is None:
        lines.append(_NO_DAYS)
    lines += _limit_lines(plain.aim.limit_us, hard)
    head = (
        "rate",
        "table",
        "as measured",
        "95 % interval",
        "worst",
        "95 % interval",
        "worst case",
    )
    if hard.compared.rates[0].plain.drawn is not None:
        head += ("draws", "at most")
    rows = [head]
    rows += [
        row
        for stands in hard.compared.rates
        for row in _rows(stands, hard.cases, in_watts(evidence))
    ]
    prices = [("rate", *_price_heads(plain))]
    prices += [
        (format_mrps(stands.rate_mrps), _change(stands.price), _change(stands.gain))
        for stands in hard.compared.rates
    ]
    return "\n".join([*lines, align_columns(rows), align_columns(prices)])


def _choice_text(plain: TunedTable[Ladder], hard: RobustTable) -> str:
    if not hard.compared.is_better:
        return "robust table not used"
    if hard.table == plain.validated.table:
        return "plain table used, already the best in the worst case"
    return "robust table used"


def _rows(
    stands: RobustRate, cases: tuple[str, ...], is_in_watts: bool
) -> Iterator[tuple[str, ...]]:
    for name, stand in _tables(stands):
        rate = format_mrps(stands.rate_mrps)
        row = rate, name, *_tail(stand.nominal), *_tail(stand.worst), cases[stand.case]
        energies = () if stand.drawn is None else (stand.drawn.nominal, stand.drawn.most)
        yield (*row, *(energy_text(each, is_in_watts) for each in energies))


def _price_heads(plain: TunedTable[Ladder]) -> tuple[str, str]:
    """Column titles of cost and gain, which name the quantity if the two differ."""
    if plain.aim.limit_us is None:
        return "price of robustness, as measured", "change in the worst case"
    return "price of robustness in energy, as measured", "gain in the tail of the worst case"


def _limit_lines(limit_us: int | None, hard: RobustTable) -> Iterator[str]:
    """Yield a line about the formula's table if it was scaled to keep the latency limit."""
    if limit_us is None:
        return
    part_ppm = hard.compared.formula_part_ppm
    if part_ppm is None:
        yield f"the formula's table misses {format_us(limit_us)} with any scale of its ages"
    elif part_ppm < PPM:
        yield (
            f"the ages of the formula's table were scaled to {100 * part_ppm / PPM:.1f} %, with "
            f"which it meets {format_us(limit_us)} in every case"
        )


def _tail(tail: MeanTail) -> tuple[str, str]:
    if tail.overloaded:
        return OVERLOADED, ""
    return format_us(tail.us), f"{format_us(tail.low_us)} .. {format_us(tail.high_us)}"


def _change(change: MeanChange | None) -> str:
    if change is None:
        return ""
    mean, low, high = (
        f"{100 * ppm / PPM:+.1f} %" for ppm in (change.ppm, change.low_ppm, change.high_ppm)
    )
    return f"{mean} ({low} .. {high})"


def radius_line(evidence: Evidence) -> str | None:
    """Format the largest errors of inputs for which the first SLO holds at all rates.

    None if they are not known.
    """
    settings = dict(evidence.settings)
    if "robust_holds" not in settings:
        return None
    return ", ".join(_reaches(settings)) if settings["robust_holds"] else _NOTHING


def _reaches(settings: dict[str, int]) -> Iterator[str]:
    above = format_ppm(settings["robust_tail_from_ppm"]).removesuffix(" %")
    names = {"demand": "demand +", "tail": f"tail above p{above} +", "speedup": "speed-ups -"}
    for axis, name in names.items():
        reached = settings.get(f"robust_radius_{axis}_ppm")
        if reached is not None:
            yield f"{name}{format_ppm(reached)}{' or more' if reached >= PPM else ''}"
    factor_ppm = settings.get("robust_radius_jointly_ppm")
    if factor_ppm is not None:
        joint = (
            f"{name}{format_ppm(settings[f'robust_{axis}_ppm'])}"
            for axis, name in names.items()
            if settings[f"robust_{axis}_ppm"]
        )
        yield f"or {digits_text(factor_ppm / PPM, 3)} times all of {' and '.join(joint)}"
