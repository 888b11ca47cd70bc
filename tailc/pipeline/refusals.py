"""Complete the errors of a compile with places in the spec and earlier warnings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from tailc.errors import Code, Finding, FindingRule, TailcError
from tailc.specs.load import LoadedSpec

_Path = tuple[str | int, ...]

# Places of findings that have none: the first of these keys that the spec has.
_ABOUT: dict[FindingRule, tuple[_Path, ...]] = {
    Code.INFEASIBLE: (("target",), ("slo", 0, "latency")),
    Code.METHOD_UNFIT: (("search", "method"), ("speedup",)),
    Code.NO_TUNING: (("rates",),),
    Code.UNSTABLE_GAINS: (("feedback", "ki"), ("feedback", "kp"), ("feedback",)),
    Code.OVERLOADED: (("batch", "rate"), ("rates",)),
}


@contextmanager
def complete_errors(
    loaded: LoadedSpec, overridden: Collection[str], warnings: Sequence[Finding]
) -> Iterator[None]:
    """Complete a TailcError raised inside the context: add places, and the warnings so far.

    overridden: keys of `search` that the command line replaces.
    """
    try:
        yield
    except TailcError as error:
        findings = [with_place(finding, loaded, overridden) for finding in error.findings]
        raise TailcError([*findings, *warnings]) from None


def with_place(finding: Finding, loaded: LoadedSpec, overridden: Collection[str] = ()) -> Finding:
    """Add to a finding the place of its subject in the spec, if that is known."""
    if finding.place is not None:
        return finding
    if finding.about:
        return replace(finding, place=loaded.place(*finding.about))
    for path in _ABOUT.get(finding.code, ()):
        if path[-1] not in overridden and loaded.document.node_at(path) is not None:
            return replace(finding, place=loaded.place(*path))
    return finding


def dropped_text(names: Sequence[str]) -> str:
    """Make the end of a sentence on a missed target: the names of rungs that were left out."""
    if not names:
        return ""
    texts = ", ".join(f"`{name}`" for name in names)
    return f"; {texts} {'is' if len(names) == 1 else 'are'} dropped"
