"""Shares of a host in memory: its machines, and how often what is done."""

from __future__ import annotations

from tailc_runtime.controller import PPM
from tailc_runtime.errors import BadMeaning
from tailc_runtime.raw import Head, RawShares

LAWS = ("pole-placement", "observer")
LARGEST_COVARIANCE = 1_000_000


class Shares:
    """What a broker of a host is told; `machines` are in the order of the policy.

    Each has a `name`, a `target_milli` [thousandths of a unit of work per second], None for batch
    work, and the model that its estimate begins with, `first_a_ppm` and `first_b_milli`. The other
    settings have the names of the artifact.
    """

    def __init__(self, head: Head, raw: RawShares) -> None:
        _check(raw)
        self.name = head.name
        self.kind = head.kind
        self.generation = head.generation
        self.policy_digest = head.policy_digest
        self.law = raw.law
        self.pole_ppm = raw.pole_ppm
        self.window_us = raw.window_us
        self.estimate_us = raw.estimate_us
        self.step_us = raw.step_us
        self.enforce_us = raw.enforce_us
        self.forgetting_ppm = raw.forgetting_ppm
        self.first_covariance = raw.first_covariance
        self.least_b_ppm = raw.least_b_ppm
        self.least_ppm = raw.least_ppm
        self.host_ppm = raw.host_ppm
        self.shortage_steps = raw.shortage_steps
        self.tolerance_ppm = raw.tolerance_ppm
        self.machines = raw.machines


def _check(raw: RawShares) -> None:
    _require(raw.law in LAWS, f"law `{raw.law}` is not known here")
    _require(0 <= raw.pole_ppm < PPM, "a pole lies from 0 to 1")
    times = (raw.window_us, raw.estimate_us, raw.step_us, raw.enforce_us)
    _require(min(times) > 0, "times are positive")
    _require(raw.step_us % raw.estimate_us == 0, "a step is a whole number of estimates")
    _require(0 < raw.forgetting_ppm <= PPM, "forgetting lies between 0 and 1")
    held = 0 < raw.first_covariance <= LARGEST_COVARIANCE
    _require(held, "a first covariance is positive and at most a million")
    _require(raw.least_b_ppm > 0, "the least b is positive")
    _require(0 < raw.host_ppm <= PPM, "a host gives no more than itself")
    _require(raw.shortage_steps > 0, "a shortage lasts a step at least")
    _require(raw.tolerance_ppm > 0, "no throughput is exactly on its target")
    _check_machines(raw)


def _check_machines(raw: RawShares) -> None:
    served = sum(machine.target_milli is not None for machine in raw.machines)
    _require(served > 0, "a host needs a machine with a target")
    promised = 0 <= raw.least_ppm * served <= raw.host_ppm
    _require(promised, "the least shares are more than the host")
    for machine in raw.machines:
        _require(bool(machine.name), "a machine needs a name")
        target = machine.target_milli
        _require(target is None or target > 0, "a target is positive")
        _require(abs(machine.first_a_ppm) < PPM, "a model with |a| >= 1 is not stable")
        _require(machine.first_b_milli > 0, "more share gives more throughput")
    names = {machine.name for machine in raw.machines}
    _require(len(names) == len(raw.machines), "two machines have one name")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadMeaning(otherwise)
