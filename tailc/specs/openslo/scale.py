"""Read the factor of a query, such as 1000 in `histogram_quantile(...) * 1000`.

The grammar depends on the source of the metric, so only products with numbers around a whole query
are read; other arithmetic is only detected.
"""

from __future__ import annotations

import re
from decimal import Decimal

from tailc.specs.openslo.part import DocumentPart

# What selects requests and times is no arithmetic: strings, labels, ranges and comments.
_SELECTION = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`|\{[^{}]*\}|\[[^\[\]]*\]|#[^\n]*")
_NUMBER = r"([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]{1,3})?)"
_TIMES_FIRST = re.compile(rf"{_NUMBER}\s*\*\s*(.+)", re.DOTALL)
_SCALED_LAST = re.compile(rf"(.*[\w)])\s*([*/])\s*{_NUMBER}", re.DOTALL)
# `SELECT * FROM` and `count(*)` multiply nothing; `AWS/ELB` is a path; `eu-west` is a name.
_PRODUCT = re.compile(r"(\w+|\))\s*[*%^]\s*(?:[\w(+-]|\.\d)")
_QUOTIENT = re.compile(
    r"[\w)]\s+/\s*[\w(.+-]|[\w)]/\s+[\w(.+-]|\)/[\w(.]|\w/\(|\w/[0-9.]+(?![\w.])"
)
_NAMED_QUOTIENT = re.compile(r"[A-Za-z0-9_]*(?:seconds|duration|latency|time)/[A-Za-z_]")
_SUM = re.compile(r"[\w)]\s+[+-]\s+[\w(.]|\)[+-][\w(.]")
_PAST = re.compile(r"\bnow\s*\(\s*\)\s*-|\bSELECT\s+(?:DISTINCT\s+)?\*", re.IGNORECASE)


def scale(metric: DocumentPart) -> Decimal | None:
    """Factor by which an OpenSLO query multiplies the metric, usually 1; None if unclear."""
    found = Decimal(1)
    for text in metric.texts():
        factor = _factor(_PAST.sub(" ", _SELECTION.sub("", text)).strip())
        if factor is None:
            return None
        found *= factor
    return found


def _factor(text: str) -> Decimal | None:
    """Product of the numbers around the query; None for other arithmetic."""
    if match := _SCALED_LAST.fullmatch(text):
        inner, number = _factor(match[1].strip()), Decimal(match[3])
        if inner is None or number == 0:
            return None
        return inner * number if match[2] == "*" else inner / number
    if match := _TIMES_FIRST.fullmatch(text):
        inner, number = _factor(match[2].strip()), Decimal(match[1])
        return None if inner is None or number == 0 else inner * number
    if _is_in_parentheses(text):
        return _factor(text[1:-1].strip())
    return None if _calculates(text) else Decimal(1)


def _is_in_parentheses(text: str) -> bool:
    """Whether the first parenthesis closes at the end of the text."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth <= 0:
            return at > 0 and at == len(text) - 1
    return False


def _calculates(text: str) -> bool:
    return any(each.search(text) for each in (_PRODUCT, _QUOTIENT, _NAMED_QUOTIENT, _SUM))
