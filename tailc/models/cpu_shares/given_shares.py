"""Shares that are given in advance instead of controlled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tailc.forms.shares import Shares
from tailc.models.cpu_shares.recorded_machines import RecordedMachine


@dataclass(frozen=True)
class GivenShares:
    """Result of a replay with given CPU shares: share and throughput error of each machine.

    shares: mean share of each machine with a target, as a fraction of the host. errors: mean
    relative deviation of its throughput from the target.
    """

    shares: tuple[float, ...]
    errors: tuple[float, ...]


@dataclass(frozen=True)
class ShareRule:
    """A baseline rule that computes the CPU shares of recorded machines.

    about: description in reports. shows_share: whether reports show the share of each machine.
    """

    about: str
    shows_share: bool
    replay: Callable[[Shares, Sequence[RecordedMachine]], GivenShares]
