"""Spec keys for budgets: how much worse a new policy may be than the previous policy."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from tailc.errors import Code
from tailc.specs.fields import Complaint, RefusalError, quantity, quantity_schema
from tailc.units import PERCENT

BUDGETS = "budgets"
MEANS = ("mean", "threads", "utilization", "energy", "batch")
"""Budgets that are of no percentile."""
_PERCENTILE = re.compile(r"p([0-9]{1,2}(?:\.[0-9]{1,4})?)")
_PPM_PER_PERCENT = 10_000
_KEYS = rf"^(p[0-9]{{1,2}}(\.[0-9]{{1,4}})?|{'|'.join(MEANS)})$"


def percentile_ppm(key: str) -> int | None:
    """The percentile that a budget's key names [1e-6]; None for a mean or an unknown key."""
    found = _PERCENTILE.fullmatch(key)
    return int(Decimal(found[1]) * _PPM_PER_PERCENT) or None if found else None


def _check_names(budgets: dict[str, int]) -> dict[str, int]:
    """Refuse a quantity by which policies are not compared."""
    complaints = [
        Complaint(
            Code.UNKNOWN_KEY,
            "is not a quantity by which policies are compared",
            f"use a percentile such as `p99`, or one of {', '.join(f'`{name}`' for name in MEANS)}",
            (key,),
        )
        for key in budgets
        if key not in MEANS and percentile_ppm(key) is None
    ]
    if complaints:
        raise RefusalError(*complaints)
    return budgets


_SHARE = {**quantity_schema("Largest allowed increase.", PERCENT), "examples": ["1%"]}
_Most = Annotated[int, BeforeValidator(quantity(PERCENT, positive=False)), WithJsonSchema(_SHARE)]
Budgets = Annotated[
    dict[str, _Most],
    AfterValidator(_check_names),
    Field(
        default_factory=dict,
        description="By how much quantities may be worse than under an earlier policy.",
        examples=[{"p99": "1%", "energy": "0.5%"}],
        json_schema_extra={"propertyNames": {"pattern": _KEYS}},
    ),
]
"""Millionths by quantity: a percentile such as `p99`, or one of MEANS; none, if absent."""
