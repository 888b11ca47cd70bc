"""Variants as JSON data."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.report.variants.figures import compared_values
from tailc.report.variants.words import message, status
from tailc.studies.sweep import VariantResult, Variants

FORMAT = "tailc-variants"
VERSION = 1


def as_dict(variants: Variants, files_by_variant: Sequence[Sequence[str]]) -> dict[str, object]:
    """Convert the variants to JSON data, as schemas/report/variants-1.schema.json describes.

    files_by_variant: paths of the files of each variant.
    """
    rows = zip(variants.answers, files_by_variant, strict=True)
    return {
        "format": FORMAT,
        "version": VERSION,
        "parameters": [
            {
                "path": one.path_text,
                "values": [one.argument_text(n) for n in range(len(one.values))],
            }
            for one in variants.variations
        ],
        "rows": [
            _row(variants, number, answer, files)
            for number, (answer, files) in enumerate(rows, start=1)
        ],
    }


def _row(
    variants: Variants, number: int, answer: VariantResult, files: Sequence[str]
) -> dict[str, object]:
    return {
        "row": number,
        "set": variants.values_of(answer.choice),
        "status": status(answer),
        "message": message(answer),
        "figures": [
            {"name": one.name, "of": one.of, "value": one.value} for one in compared_values(answer)
        ],
        "files": list(files),
    }
