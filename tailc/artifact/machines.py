"""Virtual machines of the malleable jobs of a plan, in the settings of its evidence."""

from __future__ import annotations

from tailc.artifact.envelope import Policy

VMS_OF = "vms_of_"
"""Start of the setting of a job that starts with more virtual machines than it requests."""


def machines_of(policy: Policy) -> dict[str, int]:
    """Number of virtual machines of each job that has more than it requests, by name of the job."""
    settings = policy.evidence.settings
    return {name[len(VMS_OF) :]: vms for name, vms in settings if name.startswith(VMS_OF)}
