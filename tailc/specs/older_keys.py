"""Spec keys of older versions, and what replaces them in this version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Mapping as Words
from dataclasses import dataclass, field, replace

from tailc.specs.tree import Document, Scalar, Sequence, Step

Path = tuple[Step, ...]
EACH = "*"


@dataclass(frozen=True)
class OlderKey:
    """A key of older versions of specs, and what replaces it.

    at: path of the older key. now: path of the new key. words: new words for its old values; if
    there are any, only these values are older. displaced: new key of a value that is already at
    `now`. `EACH` in a path means every item of a list.
    """

    at: Path
    now: Path
    words: Words[str, str] = field(default_factory=dict)
    displaced: str = ""

    def is_in(self, document: Document) -> bool:
        """Whether the document has this older key."""
        if document.existing(self.at) != self.at:
            return False
        node = document.node_at(self.at)
        return not self.words or (isinstance(node, Scalar) and node.text in self.words)

    def written_in(self, document: Document) -> str:
        """Path of the older key in the document, as messages print it."""
        return _spell(self.at, _text(document, self.at) if self.words else "")

    def now_in(self, document: Document) -> str:
        """Path of the new key in the document, as messages print it."""
        return _spell(self.now, self.words.get(_text(document, self.at), ""))


def _spell(path: Path, value: str) -> str:
    return ".".join(str(step) for step in path) + (f": {value}" if value else "")


def _text(document: Document, path: Path) -> str:
    node = document.node_at(path)
    return node.text if isinstance(node, Scalar) else ""


def older_keys_in(document: Document, older: Iterable[OlderKey]) -> Iterator[OlderKey]:
    """The older keys in the document, one for each list item on their path."""
    for key in older:
        if EACH not in key.at:
            yield key
            continue
        at = key.at.index(EACH)
        items = document.node_at(key.at[:at])
        for item in range(len(items.items) if isinstance(items, Sequence) else 0):
            yield replace(
                key,
                at=(*key.at[:at], item, *key.at[at + 1 :]),
                now=(*key.now[:at], item, *key.now[at + 1 :]),
            )


def rename_key(parent: Path, old: str, new: str) -> OlderKey:
    """Make the record of a key that has a new name at the same place."""
    return OlderKey((*parent, old), (*parent, new))


def _by_simulation(at: Path) -> OlderKey:
    """The objective `queue`, which is now a method; the objective of the formula has another
    key."""
    return OlderKey(at, ("search", "method"), {"queue": "simulation"}, "formula_method")


_GOAL = OlderKey(("search", "goal"), ("search", "objective"))
OPTIONAL_RULES = OlderKey(("search", "freedoms"), ("search", "optional_rules"))
OBJECTIVE_IN_SEARCH = (_by_simulation(("search", "objective")), _GOAL)
OBJECTIVE_BESIDE_SEARCH = (
    _by_simulation(("objective",)),
    OlderKey(("objective",), ("search", "objective")),
    _GOAL,
)
_SERIES: tuple[Path, ...] = (
    ("supply", "green", EACH),
    *(("supply", name) for name in ("price", "carbon")),
    ("supply", "forecast", "clouds"),
)
DAYS = (
    rename_key(("jobs",), "skips_zero_runs", "skip_zero_runs"),
    rename_key(("horizon",), "knows", "known_jobs"),
    *(rename_key(at, "keeps_longer_gaps", "skip_longer_gaps") for at in _SERIES),
    *(rename_key(at, "stamp", "timestamp") for at in _SERIES),
)
BATTERY = (
    rename_key(("battery",), "kept", "efficiency"),
    rename_key(("battery",), "first", "initial_charge"),
)
