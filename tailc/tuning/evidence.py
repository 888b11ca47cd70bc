"""Evidence and warnings about a table that was tuned by simulation."""

from __future__ import annotations

from dataclasses import replace

from tailc.artifact.envelope import REPLAYED, Policy
from tailc.errors import Code, Finding, Severity
from tailc.experiment.tuned_arrivals import pattern_settings
from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.forms.tail_table import TailTable
from tailc.percentiles import PPM
from tailc.specs.simulation_fields import SIMULATION
from tailc.specs.slo import promise
from tailc.tuning.highest_rate import RateComparison
from tailc.tuning.tuned_table import AnyTunedTable, BatchLeft
from tailc.tuning.validation import RateGain
from tailc.units import format_mrps, format_us

METHOD = SIMULATION
OBJECTIVES = {
    Criterion.TAIL: "tail",
    Criterion.ENERGY: "energy",
    Criterion.BATCH: "batch work given up",
    Criterion.RATE: "rate",
}
_SOLVER = "tailc_solvers.evolution"


def with_tuned_table(policy: Policy, tuned: AnyTunedTable) -> Policy:
    """Put the tuned table and its evidence into the policy; unchanged if no table is better.

    The tuned rows have no evidence of their own, because proofs exist only for the rows of the
    table that was computed without simulation. If the highest rate is the objective, the policy is
    for rates up to that of its table.
    """
    if tuned.raised is not None:
        policy = _up_to_highest(policy, tuned.raised)
    if tuned.table is None:
        return policy
    evidence = policy.evidence
    settings = dict(evidence.settings) | tuning_settings(tuned)
    evidence = replace(
        evidence,
        settings=tuple(sorted(settings.items())),
        objective=OBJECTIVES[tuned.aim.criterion],
        method=METHOD,
        proof=REPLAYED,
        solver=_SOLVER,
        evaluations=tuned.evaluations,
        rows=(),
    )
    return replace(policy, forms=(tuned.table, *policy.forms[1:]), evidence=evidence)


def _up_to_highest(policy: Policy, raised: RateComparison) -> Policy:
    """For the rates of the spec that the table keeps, and for the one that it is shown to keep."""
    held = raised.tuned if raised.is_better else raised.formula
    if held is None:
        return policy
    most_mrps = max(held.promised_mrps, policy.rates_mrps[0])
    kept = [rate_mrps for rate_mrps in policy.rates_mrps if rate_mrps < most_mrps]
    return replace(policy, rates_mrps=(*kept, most_mrps))


def tuning_settings(tuned: AnyTunedTable) -> dict[str, int]:
    """Evidence of tuning: settings of the search, and results of the formula's and the tuned table.

    Results are at each rate. The formula's table is the one computed without simulation.
    """
    aim = tuned.aim
    settings = {
        "judged_on": tuned.judged_on,
        "kept_out": int(tuned.is_held_out),
        "requests": tuned.requests,
        "settled": int(tuned.has_settled),
    }
    if aim.limit_us is not None:
        settings["limit_us"] = aim.limit_us
    if aim.limit_us is not None and aim.criterion is not Criterion.RATE:
        settings["formula_part_ppm"] = tuned.validated.formula_part_ppm or 0
    # The rates that were found are of no weight.
    weights = aim.weights if tuned.raised is None else (1,) * len(tuned.validated.gains)
    for number, (gain, weight) in enumerate(zip(tuned.validated.gains, weights, strict=True), 1):
        of_rate = _gain_settings(gain, aim) | {"weight": weight}
        if aim.criterion is Criterion.BATCH:
            of_rate |= _batch_settings(tuned.batch[number - 1])
        if tuned.foreseen_energy:
            of_rate["clairvoyant_energy"] = tuned.foreseen_energy[number - 1]
        settings |= {f"rate_{number}_{name}": value for name, value in of_rate.items()}
    if tuned.raised is not None:
        settings |= _raised_settings(tuned.raised)
    return settings | pattern_settings(aim)


def _raised_settings(raised: RateComparison) -> dict[str, int]:
    """Highest rates with their intervals, in thousandths of a request per second."""
    settings = {}
    for name, found in (("formula", raised.formula), ("tuned", raised.tuned)):
        if found is not None:
            ends = {"": found.rate_mrps, "_low": found.low_mrps, "_high": found.high_mrps}
            settings |= {f"highest_{name}{end}_mrps": value for end, value in ends.items()}
    return settings


def _batch_settings(left: BatchLeft) -> dict[str, int]:
    """What is left of batch work, by core."""
    by_name = {
        "batch_ppm": left.tuned_ppm,
        "formula_batch_ppm": left.formula_ppm,
        "most_batch_ppm": left.most_ppm,
    }
    return {name: ppm for name, ppm in by_name.items() if ppm is not None}


def _gain_settings(gain: RateGain, aim: TuningObjective) -> dict[str, int]:
    """Energies in millionths of the unit of power times microseconds; nothing of a table that is
    overloaded.
    """
    of_rate = {"mrps": gain.rate_mrps}
    if not gain.formula_overloaded:
        of_rate["formula_us"] = gain.formula_us
    if not gain.tuned_overloaded:
        of_rate["tuned_us"] = gain.tuned_us
    if gain.clairvoyant_us is not None:
        of_rate["clairvoyant_us"] = gain.clairvoyant_us
    if gain.energy is not None and aim.criterion is not Criterion.BATCH:
        drawn = {"formula_energy": gain.energy.formula, "tuned_energy": gain.energy.tuned}
        of_rate |= {name: energy for name, energy in drawn.items() if energy is not None}
    return of_rate


def describe_tail(us: int, overloaded: bool) -> str:
    """Format the mean tail of replays, or say that the server is overloaded."""
    return "the server is overloaded" if overloaded else f"the tail is {format_us(us)}"


def tuning_warnings(tuned: AnyTunedTable) -> tuple[Finding, ...]:
    """Warn if tuning has found no better table, or if no held-out requests validated the tables."""
    found = []
    if tuned.table is None:
        found.append(_not_taken(tuned))
    elif tuned.validated.only_keeps:
        found.append(_no_better_than_cut_back(tuned))
    elif tuned.uses_optional_rules is False:
        found.append(_without_optional_rules(tuned))
    if not tuned.is_held_out:
        message = (
            f"the table was evaluated on the same {tuned.judged_on} requests on which it was "
            "tuned, so its estimates are too good"
        )
        hint = "give a longer trace, or verify on another one"
        found.append(Finding(Code.JUDGED_ON_OWN, message, None, hint, Severity.WARNING))
    return tuple(found)


def _without_optional_rules(tuned: AnyTunedTable) -> Finding:
    """Warn that the tuned table has no optional rules, since they did not make it better."""
    better = "that is significantly better than the tuned one, and not worse at any rate"
    hint = f"remove `search.optional_rules`, or raise `search.requests`{tuned.aim.or_fewer_rates}"
    if tuned.raised is not None:
        better = "with a significantly higher rate than the tuned one, also with longer demand"
        hint = "remove `search.optional_rules`, or raise `search.requests`"
    message = (
        f"no table with `search.optional_rules` was found {better}, so the tuned table uses none "
        "of them"
    )
    return Finding(Code.NO_BETTER_TABLE, message, None, hint, Severity.WARNING)


def _no_better_than_cut_back(tuned: AnyTunedTable) -> Finding:
    """That of the formula's table as much is left as keeps the tail, and no table is better."""
    judged = tuned.validated
    assert judged.formula_part_ppm is not None
    part = f"scaled to {100 * judged.formula_part_ppm / PPM:.1f} % of its {judged.scaled}"
    message = f"no table was found that is significantly better than the formula's, {part}, "
    message += "which meets the SLO; the table that is used is as good"
    hint = f"raise `search.requests`{tuned.aim.or_fewer_rates}"
    return Finding(Code.NO_BETTER_TABLE, message, None, hint, Severity.WARNING)


def _is_at_top(tuned: AnyTunedTable) -> bool:
    """Whether the rates leave no table a higher one than the formula's."""
    assert tuned.raised is not None
    formula = tuned.raised.formula
    return formula is not None and formula.low_mrps == tuned.aim.rates_mrps[-1]


def _not_taken(tuned: AnyTunedTable) -> Finding:
    """That the formula's table stays, and what the found one misses, if that is why."""
    if not tuned.validated.keeps_tail:
        worst = max(tuned.validated.gains, key=lambda gain: gain.tuned_us)
        assert tuned.aim.limit_us is not None
        kept = promise(tuned.aim.percentile_ppm, tuned.aim.limit_us)
        message = (
            f"no table was found that reliably meets {kept}: at {format_mrps(worst.rate_mrps)} "
        )
        message += (
            f"{describe_tail(worst.tuned_us, worst.tuned_overloaded)}; the formula's table is used"
        )
        hint = "give lower rates, or a longer latency"
        if isinstance(tuned.validated.table, TailTable):
            hint = "give lower rates, a longer latency, or a larger `search.target`"
    elif not tuned.validated.keeps_objectives:
        message = (
            "no table was found that is better than the formula's and meets all objectives, so the"
        )
        message += " formula's table is used"
        hint = "give longer latencies, or raise `search.requests`"
    elif tuned.raised is not None and _is_at_top(tuned):
        message = f"the formula's table meets the SLO up to {format_mrps(tuned.aim.rates_mrps[-1])}"
        message += " in every replay, the highest of `rates`, so it is used"
        hint = "add a higher rate to `rates`, or set `search.objective: tail`"
    elif tuned.raised is not None:
        message = (
            "no table was found with a significantly higher rate than the formula's, which is used"
        )
        hint = "raise `search.requests`"
    else:
        message = (
            "no table was found that is significantly better than the formula's, which is used"
        )
        hint = f"raise `search.requests`{tuned.aim.or_fewer_rates}"
    return Finding(Code.NO_BETTER_TABLE, message, None, hint, Severity.WARNING)
