"""Compile a robust policy, and record its uncertainty set in the evidence."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Severity
from tailc.experiment.tuning_objective import TuningObjective
from tailc.forms.ladder.table import Ladder
from tailc.models.arrivals import Arrivals, Poisson
from tailc.models.subjects import subject_of
from tailc.models.workload import Workload, workload
from tailc.progress import Progress
from tailc.specs.robust import Ambiguity
from tailc.traces.day_of import RowDays
from tailc.traces.profile import DemandProfile
from tailc.tuning.evidence import describe_tail, tuning_warnings, with_tuned_table
from tailc.tuning.robust.comparison import RobustRate
from tailc.tuning.robust.radius import Radius, radius_of
from tailc.tuning.robust.search import RobustTable, tune_robust_table
from tailc.tuning.robust.uncertainty_cases import slowed_on
from tailc.tuning.sample_split import split_sample
from tailc.tuning.tuned_table import TunedTable
from tailc.tuning.validation import EnergyPair, RateGain
from tailc.units import format_mrps


@dataclass(frozen=True)
class Robustness:
    """Robustness of a policy's table: the largest errors of inputs that it tolerates.

    judged_on: number of records that the radius was computed on.
    """

    ambiguity: Ambiguity
    radius: Radius
    judged_on: int


@dataclass(frozen=True)
class RobustTables:
    """A table that was tuned for the worst case, and one that was tuned for the measured case.

    robustness: largest errors that the used table tolerates. plain: table for the measured case.
    hardened: table for the worst case.
    """

    robustness: Robustness
    plain: TunedTable[Ladder]
    hardened: RobustTable


def with_robustness(
    policy: Policy,
    ambiguity: Ambiguity,
    design: DemandProfile,
    threads: int,
    progress: Progress,
) -> tuple[Policy, Robustness]:
    """Add the largest tolerated errors of the policy's table to its evidence."""
    judging = workload(design, policy.ladders[0])
    arrivals = tuple(Poisson(rate_mrps) for rate_mrps in policy.rates_mrps)
    found = _robustness(policy, ambiguity, judging, arrivals, design, threads, progress)
    return _with_settings(policy, radius_settings(ambiguity, found.radius)), found


def robust_policy(
    policy: Policy,
    aim: TuningObjective,
    ambiguity: Ambiguity,
    days: RowDays | None,
    design: DemandProfile,
    threads: int,
    progress: Progress,
) -> tuple[Policy, RobustTables]:
    """Tune the policy's table for the worst case of the uncertainty set of its inputs.

    days: those of the records of the design trace.
    """
    formula = policy.ladders[0]
    plain, hard = tune_robust_table(aim, ambiguity, days, formula, design, threads, progress)
    judging, arrivals = split_sample(workload(design, formula)).judging, aim.judging.arrivals
    policy = with_tuned_table(policy, chosen_table(plain, hard))
    found = _robustness(policy, ambiguity, judging, arrivals, design, threads, progress)
    settings = robust_settings(hard) | radius_settings(ambiguity, found.radius)
    return _with_settings(policy, settings), RobustTables(found, plain, hard)


def _robustness(
    policy: Policy,
    ambiguity: Ambiguity,
    judging: Workload,
    arrivals: tuple[Arrivals, ...],
    design: DemandProfile,
    threads: int,
    progress: Progress,
) -> Robustness:
    subject, slo = subject_of(policy, design), policy.slos[0]
    with ThreadPoolExecutor(threads) as workers:
        slowed = slowed_on(policy.ladders[0])
        parts = judging, arrivals, slo, ambiguity, workers, progress
        radius = radius_of(subject, slowed, *parts)
    return Robustness(ambiguity, radius, len(judging.work_ns))


def _with_settings(policy: Policy, more: dict[str, int]) -> Policy:
    evidence = policy.evidence
    settings = tuple(sorted((dict(evidence.settings) | more).items()))
    return replace(policy, evidence=replace(evidence, settings=settings))


def robustness_remarks(found: Robustness) -> tuple[Finding, ...]:
    """Warn if the table misses the SLO even without errors of the inputs."""
    if found.radius.holds:
        return ()
    message = (
        f"even without errors of the inputs, `{found.radius.slo}` does not hold with 95 % "
        "confidence at every rate, so the policy tolerates no error"
    )
    hint = "lower the rates, raise the latency of the SLO, or give more requests for the evaluation"
    return (Finding(Code.NO_RADIUS, message, None, hint, Severity.WARNING),)


def robust_remarks(tables: RobustTables) -> tuple[Finding, ...]:
    """Warn if no table is better in the worst case, or if the table misses the SLO."""
    hard, plain = tables.hardened, tables.plain
    found = [*tuning_warnings(chosen_table(plain, hard))]
    if not hard.compared.is_better:
        found.append(_not_taken(plain.aim, hard))
    return (*found, *robustness_remarks(tables.robustness))


def _not_taken(aim: TuningObjective, hard: RobustTable) -> Finding:
    """That the plain table stays, and which case the robust one misses, if that is why."""
    worst = max(hard.compared.rates, key=lambda one: one.robust.worst.us)
    stand = worst.robust
    fewer = aim.or_fewer_rates
    hint = f"lower the errors of `search.robust`, or raise `search.requests`{fewer}"
    message = "no table was found that is significantly better than the formula's in the worst case"
    if not hard.compared.keeps_tail:
        message = "no table reliably meets the SLO in every case: at "
        message += f"{format_mrps(worst.rate_mrps)}, with {hard.cases[stand.case]}, "
        message += describe_tail(stand.worst.us, stand.worst.overloaded)
        hint = "lower the rates or the errors of `search.robust`, or give a longer latency"
    message += "; the compile uses the table that was tuned without errors"
    return Finding(Code.NO_BETTER_TABLE, message, None, hint, Severity.WARNING)


def chosen_table(plain: TunedTable[Ladder], hard: RobustTable) -> TunedTable[Ladder]:
    """Return the robust table if it is better than the formula's, otherwise the plain one.

    Better means in the worst case. The formula's table is computed without simulation, the plain
    one is tuned for the measured case.
    """
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
    """Evidence of robust tuning: the number of cases, and figures for each rate.

    The figures are the worst percentile of each table, and the price and the gain of the robust
    one.
    """
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
    """Evidence: the stated uncertainty, and the largest errors under which the SLO holds."""
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
