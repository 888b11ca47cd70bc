"""In which order the keys of a spec stand: that in which its reference lists them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tailc.specs.fields import SpecModel
from tailc.specs.sentences import Spot

Path = tuple[str | int, ...]
Order = Callable[[Path, Sequence[str]], Sequence[str]]


def order_of(model: type[SpecModel]) -> Order:
    """The order of the keys that stand at a path; those that users name stay as they are."""

    def ordered(path: Path, keys: Sequence[str]) -> Sequence[str]:
        known = Spot(model, (*path, "")).siblings
        return sorted(keys, key=known.index) if set(keys) <= set(known) else keys

    return ordered
