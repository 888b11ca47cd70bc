"""The register of all checks, which are found by a scan of `tailc.lint.checks`."""

from __future__ import annotations

import importlib
import pkgutil

from tailc.errors import Code
from tailc.lint import checks
from tailc.lint.defect import Check, Defect

# Findings of the readers of files, which are reported unchanged.
OF_READERS = (
    *(Code.EMPTY_TRACE, Code.DUPLICATE_COLUMN, Code.NOT_A_NUMBER, Code.NOT_FINITE),
    *(Code.NOT_POSITIVE, Code.RAGGED_ROW, Code.TRUNCATED, Code.BROKEN_FORMAT, Code.BAD_TIMINGS),
    *(Code.OUT_OF_RANGE, Code.OUT_OF_ORDER, Code.FEW_ARRIVALS, Code.ARRIVAL_GAP),
    *(Code.UNSTATED_MEASURE, Code.CLOSED_LOOP, Code.SAME_TIME, Code.UNEVEN_TIMES),
    *(Code.UNIT_SUSPECT, Code.SPEEDUP_FALLS, Code.SPEEDUP_EXCEEDS, Code.SPEEDUP_SUPERLINEAR),
    *(Code.FEW_REPETITIONS, Code.SPEEDUP_NOT_FROM_ONE, Code.SERIES_GAPS, Code.NIGHT_CLAMPED),
    *(Code.CLOCK_CHANGE, Code.SMALL_SAMPLE, Code.COARSE_INPUT, Code.FAILED_REQUESTS),
    *(Code.DEGREES_INTERPOLATED, Code.JOBS_LEFT_OUT, Code.LOG_IS_PART),
)


def find_checks() -> tuple[Check, ...]:
    """All checks, in order of the code of their defect."""
    names = (module.name for module in pkgutil.iter_modules(checks.__path__))
    found = [
        check
        for name in names
        for check in importlib.import_module(f"{checks.__name__}.{name}").CHECKS
    ]
    return tuple(sorted(found, key=lambda check: check.defect.ident))


def find_defects() -> tuple[Defect, ...]:
    """All defects that `tailc lint-trace` finds, in order of code."""
    return tuple(check.defect for check in find_checks())


def defect_named(word: str) -> Defect | None:
    """The defect with this code, in any case, or with this name; None if there is none."""
    names = (word.upper(), word.lower())
    return next(
        (one for one in find_defects() if one.ident == names[0] or one.name == names[1]), None
    )
