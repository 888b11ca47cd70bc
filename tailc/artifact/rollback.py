"""Publish an old policy again, so that servers with a newer one accept it."""

from __future__ import annotations

from dataclasses import replace

from tailc.artifact.envelope import REPLACED, RESTORED, Policy
from tailc.artifact.json_form import digest_of
from tailc.errors import Code, Finding, TailcError


def roll_back(old: Policy, current: Policy) -> Policy:
    """Return policy `old` with the generation after that of `current`, so that servers accept it.

    Raises TailcError if they are of different services, or the same policy.
    """
    if old.name != current.name:
        message = f"a policy of `{old.name}` cannot replace one of `{current.name}`"
        raise TailcError(
            Finding(Code.NO_ROLLBACK, message, help="give two policies of one service")
        )
    if old.same_policy(current):
        message = "the old policy has the same SLO and decisions as the deployed one"
        help_ = "give the policy of an earlier generation; `tailc diff` shows the differences"
        raise TailcError(Finding(Code.NO_ROLLBACK, message, help=help_))
    versions = dict(old.evidence.versions)
    versions |= {RESTORED: digest_of(old), REPLACED: digest_of(current)}
    evidence = replace(old.evidence, versions=tuple(sorted(versions.items())))
    # Servers may hold either of the two.
    generation = max(old.generation, current.generation) + 1
    return replace(old, generation=generation, evidence=evidence)
