"""Evidence of a policy about errors of its inputs under which its table keeps the SLO."""

from __future__ import annotations

from dataclasses import replace

from tailc.forms.ladder.table import Ladder
from tailc.specs.robust import Ambiguity
from tailc.tuning.robust.comparison import RobustRate
from tailc.tuning.robust.radius import Radius
from tailc.tuning.robust.search import RobustTable
from tailc.tuning.tuned_table import TunedTable
from tailc.tuning.validation import EnergyPair, RateGain


def chosen_table(plain: TunedTable[Ladder], hard: RobustTable) -> TunedTable[Ladder]:
    """Return the robust table if it beats the formula's in the worst case, else the plain one."""
    if not hard.compared.is_better:
        return plain
    reached = hard.clairvoyant_us or (None,) * len(hard.compared.rates)
    pairs = zip(plain.validated.gains, hard.compared.rates, reached, strict=True)
    gains = tuple(_gain(*pair) for pair in pairs)
    judged = replace(
        plain.validated,
        table=hard.table,
        gains=gains,
        is_better=True,
        formula_part_ppm=hard.compared.formula_part_ppm,
        keeps_tail=True,
        only_keeps=hard.compared.only_keeps,
    )
    return replace(plain, validated=judged, evaluations=hard.evaluations, requests=hard.requests)


def _gain(gain: RateGain, stands: RobustRate, clairvoyant_us: int | None) -> RateGain:
    """The gain as measured, from the replays that compared the robust table."""
    formula, robust = stands.formula, stands.robust
    energy = None
    if formula.drawn is not None and robust.drawn is not None:
        energy = EnergyPair(
            None if formula.nominal.overloaded else formula.drawn.nominal,
            None if robust.nominal.overloaded else robust.drawn.nominal,
        )
    return replace(
        gain,
        formula_us=formula.nominal.us,
        tuned_us=robust.nominal.us,
        formula_overloaded=formula.nominal.overloaded,
        tuned_overloaded=robust.nominal.overloaded,
        clairvoyant_us=clairvoyant_us,
        energy=energy,
    )


def robust_settings(hard: RobustTable) -> dict[str, int]:
    """Settings: number of cases, and at each rate the worst tails, the price and the gain."""
    settings = {"robust_cases": len(hard.cases), "robust_searched": hard.searched}
    for number, stands in enumerate(hard.compared.rates, 1):
        tails = {
            "formula_worst_us": stands.formula.worst,
            "plain_us": stands.plain.nominal,
            "plain_worst_us": stands.plain.worst,
            "tuned_worst_us": stands.robust.worst,
        }
        values = {name: tail.us for name, tail in tails.items() if not tail.overloaded}
        changes = {"price_ppm": stands.price, "gain_ppm": stands.gain}
        values |= {name: change.ppm for name, change in changes.items() if change is not None}
        values |= _drawn_settings(stands)
        settings |= {f"robust_rate_{number}_{name}": value for name, value in values.items()}
    return settings


def _drawn_settings(stands: RobustRate) -> dict[str, int]:
    """Largest energy per request in any case, by table; empty if rungs have no power."""
    tables = {"formula": stands.formula, "plain": stands.plain, "tuned": stands.robust}
    drawn = {name: one.drawn for name, one in tables.items()}
    return {f"{name}_most_energy": one.most for name, one in drawn.items() if one is not None}


def radius_settings(ambiguity: Ambiguity, radius: Radius) -> dict[str, int]:
    """Settings: the stated uncertainty, and the largest errors under which the SLO holds."""
    settings = {
        "robust_demand_ppm": ambiguity.demand_ppm,
        "robust_tail_ppm": ambiguity.tail_ppm,
        "robust_tail_from_ppm": ambiguity.tail_from_ppm,
        "robust_speedup_ppm": ambiguity.speedup_ppm,
        "robust_mixture_ppm": ambiguity.mixture_ppm,
        "robust_resamples": ambiguity.resamples,
        "robust_holds": int(radius.holds),
    }
    reached = {f"robust_radius_{one.axis.value}_ppm": one.ppm for one in radius.reaches}
    return settings | reached
