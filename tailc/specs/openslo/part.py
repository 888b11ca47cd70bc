"""A part of an OpenSLO document with its place, which may be missing or wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from tailc.errors import Code, Finding, Severity, TailcError
from tailc.specs.load import path_text
from tailc.specs.tree import Document, Mapping, Node, Scalar, Sequence, Step
from tailc.units import shorten

# Beyond that nothing is a number of anything that is measured.
_MOST_DIGITS = 30


@dataclass(frozen=True)
class DocumentPart:
    """The part at a path of an OpenSLO document; `node` is None if it is missing."""

    document: Document
    path: tuple[Step, ...] = ()

    @property
    def node(self) -> Node | None:
        return self.document.node_at(self.path)

    @property
    def path_text(self) -> str:
        """Format the path of this part of an OpenSLO document, such as `spec.indicator`."""
        return path_text(self.path)

    @property
    def line(self) -> int:
        """Line of this part of an OpenSLO document, or of the part that would contain it."""
        return self.document.span_of(self.path).line

    def __truediv__(self, key: str) -> DocumentPart:
        """The part at this key."""
        return DocumentPart(self.document, (*self.path, key))

    def __bool__(self) -> bool:
        """Whether the part exists."""
        return self.node is not None

    def items(self) -> tuple[DocumentPart, ...]:
        """Entries of this list in an OpenSLO document; TailcError if it is no list, or empty."""
        node = self.node
        if not isinstance(node, Sequence) or not node.items:
            raise self.error(
                "must be a list with at least one entry", "see openslo.com/specification"
            )
        return tuple(DocumentPart(self.document, (*self.path, at)) for at in range(len(node.items)))

    def text(self) -> str | None:
        """Text of this part of an OpenSLO document, a scalar, as written; None if missing."""
        node = self.node
        return node.text if isinstance(node, Scalar) and node.text else None

    def required_text(self, hint: str) -> str:
        """Text of a scalar in an OpenSLO document; raises TailcError if missing."""
        found = self.text()
        if found is None:
            raise self.error("is missing", hint, Code.MISSING_KEY)
        return found

    def number(self, hint: str) -> Decimal:
        """Exact number of this scalar in an OpenSLO document; raises TailcError otherwise."""
        text = self.required_text(hint)
        try:
            found = Decimal(text)
        except InvalidOperation:
            found = Decimal("NaN")
        if not found.is_finite() or abs(found.adjusted()) > _MOST_DIGITS:
            raise self.error(f"must be a number, not `{shorten(text)}`", hint)
        return found

    def texts(self) -> Iterator[str]:
        """All values in this part of an OpenSLO document, such as the query of a metric."""
        if (node := self.node) is not None:
            yield from _texts(node)

    def error(self, message: str, hint: str, code: Code = Code.BAD_VALUE) -> TailcError:
        """Make the error that this part of the OpenSLO document is wrong, with its place."""
        return TailcError(self._finding(f"`{self.path_text}` {message}", hint, code))

    def not_imported(self, message: str, hint: str) -> Finding:
        """Make the warning that this part of an OpenSLO document is not imported."""
        text = f"`{self.path_text}` {message}"
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
