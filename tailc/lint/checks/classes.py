"""Checks of classes of requests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from tailc.errors import Severity
from tailc.lint.defect import Check, Defect, Sighting
from tailc.lint.views import Classes
from tailc.traces.arrow import numpy_of

_MOST_SHARE, _FEW_ROWS = 0.99, 20
_ID_SHARE, _ENOUGH = 0.5, 100


def _counts(classes: Classes) -> dict[str, int]:
    """Number of requests of each class."""
    named = classes.names.combine_chunks().dictionary_encode()
    index = numpy_of(named.indices)
    count = np.bincount(index[index >= 0].astype(np.int64), minlength=len(named.dictionary))
    names = [str(name) for name in named.dictionary.to_pylist()]
    return dict(zip(names, map(int, count), strict=True))


def _is_id(counts: dict[str, int]) -> bool:
    rows = sum(counts.values())
    return rows >= _ENOUGH and len(counts) > _ID_SHARE * rows


def _one_a_row(classes: Classes) -> Iterator[Sighting]:
    counts = _counts(classes)
    if _is_id(counts):
        yield Sighting(f"{sum(counts.values()):,} requests have {len(counts):,} classes")


def _dominating(classes: Classes) -> Iterator[Sighting]:
    counts = _counts(classes)
    rows = sum(counts.values())
    for name, count in counts.items():
        if len(counts) > 1 and rows >= _ENOUGH and count > _MOST_SHARE * rows:
            yield Sighting(f"class `{name}` has {count:,} of {rows:,} requests")


def _rare(classes: Classes) -> Iterator[Sighting]:
    counts = _counts(classes)
    rare = {name: count for name, count in counts.items() if count < _FEW_ROWS}
    if rare and len(counts) > 1 and not _is_id(counts) and sum(counts.values()) >= _ENOUGH:
        name, count = next(iter(rare.items()))
        more = f"; {len(rare)} classes have few" if len(rare) > 1 else ""
        yield Sighting(f"class `{name}` has {count} requests{more}")


def _spellings(classes: Classes) -> Iterator[Sighting]:
    alike: dict[str, list[str]] = defaultdict(list)
    for name in _counts(classes):
        alike[name.strip().casefold().replace("_", "-")].append(name)
    for names in alike.values():
        if len(names) > 1:
            shown = ", ".join(f"`{name}`" for name in sorted(names))
            yield Sighting(f"classes {shown} differ only in spelling")


CHECKS = (
    Check(
        Defect(
            "TC1321",
            "class-of-one",
            Severity.WARNING,
            "there is about a class for each request",
            "no class has enough requests for a speed-up curve or a percentile",
            "name a column with few different values",
        ),
        Classes,
        _one_a_row,
    ),
    Check(
        Defect(
            "TC1322",
            "dominating-class",
            Severity.NOTE,
            "one class has nearly all requests",
            "percentiles of all requests are those of that class and hide the others",
            "give the other classes their own SLO if they matter",
        ),
        Classes,
        _dominating,
    ),
    Check(
        Defect(
            "TC1323",
            "rare-class",
            Severity.NOTE,
            "a class has few requests",
            "its percentiles and its speed-up curve are unreliable",
            "measure more of them, or merge the class with another",
        ),
        Classes,
        _rare,
    ),
    Check(
        Defect(
            "TC1324",
            "class-spellings",
            Severity.WARNING,
            "two classes differ only in spelling",
            "one class counts as two, and only one of them has a speed-up curve",
            "use one spelling for each class",
        ),
        Classes,
        _spellings,
    ),
)
