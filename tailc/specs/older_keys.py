"""Keys of specs of older versions, and how this version writes them."""

from __future__ import annotations

from collections.abc import Mapping as Words
from dataclasses import dataclass, field

from tailc.specs.tree import Document, Scalar

Path = tuple[str, ...]


@dataclass(frozen=True)
class OlderKey:
    """A key `at` which older versions had what is `now` elsewhere, or is said in other words.

    words: what its values became; only those are older, or all, if there are none. displaced: the
    key that gets what stands `now` already.
    """

    at: Path
    now: Path
    words: Words[str, str] = field(default_factory=dict)
    displaced: str = ""

    def is_in(self, document: Document) -> bool:
        """Whether the document has it."""
        if document.existing(self.at) != self.at:
            return False
        node = document.node_at(self.at)
        return not self.words or (isinstance(node, Scalar) and node.text in self.words)

    def written_in(self, document: Document) -> str:
        """How the document writes it, for a message."""
        return _spelled(self.at, _text(document, self.at) if self.words else "")

    def now_in(self, document: Document) -> str:
        """How that is written now."""
        return _spelled(self.now, self.words.get(_text(document, self.at), ""))


def _spelled(path: Path, value: str) -> str:
    return ".".join(path) + (f": {value}" if value else "")


def _text(document: Document, path: Path) -> str:
    node = document.node_at(path)
    return node.text if isinstance(node, Scalar) else ""


def _by_simulation(at: Path) -> OlderKey:
    """The objective `queue`, which is a method; that of the formula's table has another key."""
    return OlderKey(at, ("search", "method"), {"queue": "simulation"}, "formula_method")


_GOAL = OlderKey(("search", "goal"), ("search", "objective"))
OPTIONAL_RULES = OlderKey(("search", "freedoms"), ("search", "optional_rules"))
OBJECTIVE_IN_SEARCH = (_by_simulation(("search", "objective")), _GOAL)
OBJECTIVE_BESIDE_SEARCH = (
    _by_simulation(("objective",)),
    OlderKey(("objective",), ("search", "objective")),
    _GOAL,
)
