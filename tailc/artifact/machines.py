"""Virtual machines of the malleable jobs of a plan, in the settings of its evidence."""

from __future__ import annotations

from tailc.artifact.envelope import Policy

VMS_OF = "vms_of_"
"""Start of the setting of a job that starts with more virtual machines than it requests."""


def machines_of(policy: Policy) -> dict[str, int]:
    """Virtual machines by job, of the jobs that have more than they request."""
    settings = policy.evidence.settings
    return {name[len(VMS_OF) :]: vms for name, vms in settings if name.startswith(VMS_OF)}
