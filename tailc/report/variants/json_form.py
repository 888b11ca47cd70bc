"""Variants for a program; schemas/report/variants-1.schema.json describes them."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.report.variants.figures import figures_of
from tailc.report.variants.words import message, status
from tailc.studies.sweep import Answer, Variants

FORMAT = "tailc-variants"
VERSION = 1


def as_dict(variants: Variants, kept: Sequence[Sequence[str]]) -> dict[str, object]:
    """What was varied, and a row for each variant; `kept` has the files of each."""
    rows = zip(variants.answers, kept, strict=True)
    return {
        "format": FORMAT,
        "version": VERSION,
        "parameters": [
            {"path": one.spelled, "values": [one.written(n) for n in range(len(one.values))]}
            for one in variants.variations
        ],
        "rows": [
            _row(variants, number, answer, files)
            for number, (answer, files) in enumerate(rows, start=1)
        ],
    }


def _row(
    variants: Variants, number: int, answer: Answer, files: Sequence[str]
) -> dict[str, object]:
    return {
        "row": number,
        "set": variants.written(answer.choice),
        "status": status(answer),
        "message": message(answer),
        "figures": [
            {"name": one.name, "of": one.of, "value": one.value} for one in figures_of(answer)
        ],
        "files": list(files),
    }
