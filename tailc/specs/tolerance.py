"""Spec key for the tolerance by which rows of a formula's table may be worse than the best."""

from typing import Annotated

from pydantic import Field

from tailc.specs.cores_fields import SharePpm

TolerancePpm = Annotated[
    SharePpm,
    Field(
        alias="tolerance",
        description="By how much a row of the formula's table may be worse than the best, so that "
        "with more requests in the system none has more threads or waits less. `0%`: "
        "the best of each row.",
        json_schema_extra={"default": "0.1%"},
    ),
]
DEFAULT_PPM = 1_000
