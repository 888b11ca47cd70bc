"""The standard order of a spec's keys: that of the reference documentation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tailc.specs.fields import SpecModel
from tailc.specs.sentences import Spot

Path = tuple[str | int, ...]
Order = Callable[[Path, Sequence[str]], Sequence[str]]


def order_of(model: type[SpecModel]) -> Order:
    """Make the order of keys at each path; keys that users choose keep their order."""

    def order_keys(path: Path, keys: Sequence[str]) -> Sequence[str]:
        known = Spot(model, (*path, "")).siblings
        return sorted(keys, key=known.index) if set(keys) <= set(known) else keys

    return order_keys
