"""Formulate a slow-to-fast spec as a problem of climb ages; rung i is the i-th useful core type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.errors import Code, Finding, TailcError
from tailc.policies.slow_to_fast.control_spec import SlowToFastControl
from tailc.policies.slow_to_fast.spec import SlowToFastSearch, SlowToFastSpec
from tailc.problems.control import ControllerTerms, ControlProblem, LoopGains
from tailc.problems.thresholds import (
    SolverLimits,
    ThresholdMethod,
    ThresholdObjective,
    ThresholdProblem,
)
from tailc.specs.auto_settings import AutoChoice
from tailc.specs.cores import PowerUnit
from tailc.specs.load import LoadedSpec
from tailc.specs.robust import Ambiguity, ambiguity_of
from tailc.specs.simulation_fields import AUTO, refuse_any
from tailc.traces.profile import DemandProfile

if TYPE_CHECKING:
    from tailc.experiment.tuning_objective import TuningObjective

US_PER_S = 1_000_000


def candidates(spec: SlowToFastSpec) -> tuple[SlowToFastSpec, ...]:
    """Return the spec itself: this kind of policy compares no alternatives."""
    return (spec,)


def reduce(spec: SlowToFastSpec, profile: DemandProfile) -> ThresholdProblem:
    """Formulate the problem of least energy at low load (Haque et al., MICRO 2017, section 4.4)."""
    aim = ThresholdObjective(spec.aim)
    search = spec.search
    method = _method(search, profile) if aim is ThresholdObjective.ENERGY else ThresholdMethod.FIXED
    cores = spec.used_cores
    return ThresholdProblem(
        profile=profile,
        power_ppm=tuple(each.power_ppm for each in cores.types),
        static_ppm=cores.static_ppm,
        is_in_watts=cores.unit is PowerUnit.WATT,
        objective=aim,
        percentile_ppm=spec.slos[0].percentile_ppm,
        target_us=spec.aim_us if aim is ThresholdObjective.ENERGY else None,
        method=method,
        solver=search.solver if method is ThresholdMethod.MIP else None,
        limits=SolverLimits(
            search.time_limit_us / US_PER_S, search.memory_limit_mb, search.step_us
        ),
        dropped=spec.dropped_types,
    )


def _method(search: SlowToFastSearch, profile: DemandProfile) -> ThresholdMethod:
    """The stated method; else the dual, or the grid if requests have speeds of their own."""
    if search.formula is not None:
        return ThresholdMethod(search.formula)
    return ThresholdMethod.DUAL if profile.has_common_curve else ThresholdMethod.GRID


def control(spec: SlowToFastSpec, loaded: LoadedSpec) -> ControlProblem | None:
    """Formulate the problem of the controller that adapts climb ages to the load.

    The problem contains gains if the spec states them. None if climb ages never change. Raises
    TailcError if there are no rates to tune the controller for.
    """
    if not spec.is_controlled:
        return None
    if not spec.rates_mrps:
        message = "a controller needs `rates`, because it has gains for each range of rates"
        hint = "add `rates: [20/s, 60/s]`, or set `control: off`"
        raise TailcError(Finding(Code.MISSING_KEY, message, help=hint))
    own = spec.control
    return ControlProblem(
        percentile_ppm=spec.slos[0].percentile_ppm,
        target_us=spec.aim_us,
        epoch_requests=own.epoch_requests,
        window_requests=own.window_requests,
        structure=ControllerTerms(own.structure),
        max_sensitivity=own.max_sensitivity,
        rates_mrps=tuple(sorted(spec.rates_mrps)),
        intervals=own.sets,
        boundaries_mrps=own.boundaries_mrps,
        gains=_gains(own),
        gains_at=tuple(loaded.place("control", "gains", at) for at in range(len(own.gains or ()))),
        rates_at=loaded.place("rates"),
        dropped=spec.dropped_types,
    )


def tuning_objective(spec: SlowToFastSpec) -> TuningObjective | None:
    """The objective of tuning: energy under the first SLO, its percentile, or the highest rate.

    Raises TailcError if the spec has no rates, or has a controller.
    """
    if not spec.is_replayed:
        return None
    refuse_any(spec.search_complaints())
    # Importing the replay takes half a second, which checking a spec does not need.
    from tailc.experiment.objective_of_spec import objective_of
    from tailc.experiment.tuning_objective import Criterion

    criterion, target_us = Criterion(spec.search.objective), spec.aim_us
    return objective_of(spec.search, spec.slos[0], spec.rates_mrps, criterion, target_us=target_us)


def best_of_all(spec: SlowToFastSpec) -> AutoChoice | None:
    """Settings (effort, risk) of the method `auto`; None if the spec has another method."""
    return AutoChoice(spec.search.effort, spec.search.risk_ppm) if spec.method == AUTO else None


def ambiguity(spec: SlowToFastSpec) -> Ambiguity | None:
    """Uncertainty set of demand and core speeds; None if the spec has none."""
    search = spec.search
    return ambiguity_of(search.robust, spec.rates_mrps, looks_for_rate=search.looks_for_rate)


def _gains(own: SlowToFastControl) -> tuple[LoopGains, ...] | None:
    if own.gains is None:
        return None
    return tuple(LoopGains(each.kp, each.ki, each.kd) for each in own.gains)
