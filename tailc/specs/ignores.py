"""Comments in a spec that hide its warnings: `# tailc: ignore[TC0256] reason`.

A comment at the end of a line hides warnings of this line, one on a line of its own those of the
line below. `ignore-file` hides warnings at any place, also in the trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tailc.errors import Code, Finding, Place, Severity
from tailc.specs.tree import Document

_COMMENT = re.compile(r"(?:^|\s)#\s*tailc:\s*ignore(-file)?\[([^\]]*)\]\s*(.*)$")


@dataclass(frozen=True)
class _Ignore:
    """A comment; `line`: the line whose warnings it hides, None: all lines."""

    place: Place
    line: int | None
    code: str
    reason: str

    def hides(self, finding: Finding) -> bool:
        place = finding.place
        if self.code != finding.code.ident or finding.severity is Severity.ERROR or not self.reason:
            return False
        if self.line is None:
            return True
        return place is not None and (place.source, place.line) == (self.place.source, self.line)


def apply_ignores(
    document: Document, findings: Sequence[Finding], *, is_complete: bool
) -> tuple[Finding, ...]:
    """Omit the warnings that comments of the spec hide.

    is_complete: whether `findings` has every warning of the spec, so that a comment that hides
    none is reported. A comment without a reason hides nothing, and is always reported.
    """
    comments = list(_ignores(document))
    kept = [one for one in findings if not any(comment.hides(one) for comment in comments)]
    for comment in comments:
        if not comment.reason:
            message = f"the comment hides no `{comment.code}`, since it has no reason"
            hint = f"write `# tailc: ignore[{comment.code}] REASON`"
            kept.append(_warning(comment, message, hint))
        elif is_complete and not any(comment.hides(one) for one in findings):
            message = f"there is no warning `{comment.code}` that the comment hides"
            kept.append(_warning(comment, message, "remove it"))
    return tuple(kept)


def _warning(comment: _Ignore, message: str, hint: str) -> Finding:
    return Finding(Code.UNUSED_IGNORE, message, comment.place, hint, Severity.WARNING)


def _ignores(document: Document) -> Iterator[_Ignore]:
    for number, line in enumerate(document.lines, start=1):
        found = _COMMENT.search(line)
        if found is None:
            continue
        of_file, codes, reason = found.groups()
        is_alone = not line[: found.start()].strip()
        covered = None if of_file else number + is_alone
        column = line.index("#", found.start()) + 1
        width = len(line.rstrip()) - column + 1
        place = Place(document.source, number, column, excerpt=line, width=width)
        for code in codes.split(","):
            yield _Ignore(place, covered, code.strip(), reason.strip())
