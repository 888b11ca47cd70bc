"""A part of an OpenSLO document, which says where it stands whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from tailc.errors import Code, Finding, Severity, TailcError
from tailc.specs.load import spelled
from tailc.specs.tree import Document, Mapping, Node, Scalar, Sequence, Step
from tailc.units import shorten

# Beyond that nothing is a number of anything that is measured.
_MOST_DIGITS = 30


@dataclass(frozen=True)
class Part:
    """What stands at a path of a document; `node` None where nothing does."""

    document: Document
    path: tuple[Step, ...] = ()

    @property
    def node(self) -> Node | None:
        return self.document.node_at(self.path)

    @property
    def spelled(self) -> str:
        """The path as people write it."""
        return spelled(self.path)

    @property
    def line(self) -> int:
        """The line that it stands on, or that of what it would stand in."""
        return self.document.span_of(self.path).line

    def __truediv__(self, key: str) -> Part:
        """The part of that key."""
        return Part(self.document, (*self.path, key))

    def __bool__(self) -> bool:
        """Whether it is given."""
        return self.node is not None

    def items(self) -> tuple[Part, ...]:
        """The entries of a list; TailcError where it is none, or empty."""
        node = self.node
        if not isinstance(node, Sequence) or not node.items:
            raise self.refused("must be a list with an entry", "see openslo.com/specification")
        return tuple(Part(self.document, (*self.path, at)) for at in range(len(node.items)))

    def text(self) -> str | None:
        """The text of a scalar as it is written; None where there is none."""
        node = self.node
        return node.text if isinstance(node, Scalar) and node.text else None

    def needed(self, hint: str) -> str:
        """The text of a scalar; TailcError where there is none."""
        found = self.text()
        if found is None:
            raise self.refused("is missing", hint, Code.MISSING_KEY)
        return found

    def number(self, hint: str) -> Decimal:
        """The number of a scalar, exactly; TailcError where there is none."""
        text = self.needed(hint)
        try:
            found = Decimal(text)
        except InvalidOperation:
            found = Decimal("NaN")
        if not found.is_finite() or abs(found.adjusted()) > _MOST_DIGITS:
            raise self.refused(f"must be a number, not `{shorten(text)}`", hint)
        return found

    def texts(self) -> Iterator[str]:
        """Every value in it, such as the query of a metric whose source has its own keys."""
        if (node := self.node) is not None:
            yield from _texts(node)

    def refused(self, message: str, hint: str, code: Code = Code.BAD_VALUE) -> TailcError:
        """What is wrong with it, at its place."""
        return TailcError(self._finding(f"`{self.spelled}` {message}", hint, code))

    def not_imported(self, message: str, hint: str) -> Finding:
        """A warning of what is lost of it."""
        text = f"`{self.spelled}` {message}"
        return self._finding(text, hint, Code.NOT_CARRIED, Severity.WARNING)

    def _finding(
        self, message: str, hint: str, code: Code, severity: Severity = Severity.ERROR
    ) -> Finding:
        place = self.document.place(self.document.span_of(self.path))
        return Finding(code, message, place, hint, severity)


def _texts(node: Node) -> Iterator[str]:
    match node:
        case Scalar():
            yield node.text
        case Sequence():
            for item in node.items:
                yield from _texts(item)
        case Mapping():
            for entry in node.entries.values():
                yield from _texts(entry.value)
