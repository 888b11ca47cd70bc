"""Read shares of a host from a FlatBuffer."""

from __future__ import annotations

from typing import Any

from tailc_runtime._generated import policy_generated as fbs
from tailc_runtime.flat_walk import text, vector, word
from tailc_runtime.raw import RawMachine, RawShareCap, RawShares

_LAWS = {fbs.ShareLaw.POLE_PLACEMENT: "pole-placement", fbs.ShareLaw.OBSERVER: "observer"}


def read_shares(form: Any) -> RawShares:
    """The shares of an accessor."""
    cap = form.Cap()
    return RawShares(
        law=word(_LAWS, form.Law()),
        pole_ppm=form.PolePpm(),
        window_us=form.WindowUs(),
        estimate_us=form.EstimateUs(),
        step_us=form.StepUs(),
        enforce_us=form.EnforceUs(),
        forgetting_ppm=form.ForgettingPpm(),
        first_covariance=form.FirstCovariance(),
        least_b_ppm=form.LeastBPpm(),
        least_ppm=form.LeastPpm(),
        host_ppm=form.HostPpm(),
        shortage_steps=form.ShortageSteps(),
        tolerance_ppm=form.TolerancePpm(),
        machines=tuple(_machine(machine) for machine in vector(form, "Machines")),
        cap=None if cap is None else RawShareCap(cap.Steps(), cap.ProbeSteps(), cap.HeadroomPpm()),
    )


def _machine(machine: Any) -> RawMachine:
    first = machine.FirstAPpm(), machine.FirstBMilli()
    return RawMachine(text(machine.Name()), machine.TargetMilli(), *first)
