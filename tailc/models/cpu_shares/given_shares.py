"""Shares that are given and not decided on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tailc.forms.shares import Shares
from tailc.models.cpu_shares.recorded import RecordedMachine


@dataclass(frozen=True)
class GivenShares:
    """The mean share of each machine with a target, and the errors that they leave."""

    shares: tuple[float, ...]
    errors: tuple[float, ...]


@dataclass(frozen=True)
class ShareRule:
    """Shares for machines that were recorded; about: what they are, in reports.

    is_share_told: whether reports say how much each machine gets.
    """

    about: str
    is_share_told: bool
    given: Callable[[Shares, Sequence[RecordedMachine]], GivenShares]
