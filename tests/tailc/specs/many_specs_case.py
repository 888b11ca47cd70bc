"""Specs of every kind as texts, and random changes of them, for the campaigns."""

from __future__ import annotations

import random
import tempfile
from functools import cache
from pathlib import Path

from tailc.policies import KINDS
from tailc.specs.document import parse_document
from tailc.specs.fields import SpecModel
from tailc.specs.load import LoadedSpec, check_document
from tests.tailc.policies.cases import write_case
from tests.tailc.specs.messages_case import BROKEN
from tests.tailc.specs.writing import GOOD


@cache
def models() -> dict[str, type[SpecModel]]:
    """The model of each kind's specs."""
    return {name: kind.spec_model for name, kind in KINDS.items()}


@cache
def good_specs() -> tuple[str, ...]:
    """The spec of each kind's small instance, and one with comments."""
    with tempfile.TemporaryDirectory() as folder:
        return GOOD, *(_spec_of(kind, Path(folder) / kind) for kind in sorted(KINDS))


def _spec_of(kind: str, folder: Path) -> str:
    folder.mkdir()
    return write_case(kind, folder).spec.read_text()


@cache
def all_specs() -> tuple[str, ...]:
    """The good ones, and ones with each mistake."""
    return (*good_specs(), *BROKEN.values())


def loaded(text: str) -> LoadedSpec:
    """The spec; raises TailcError if it is wrong."""
    return check_document(parse_document(text, "service.yaml"), models())


def random_edits(rng: random.Random, tokens: list[str]) -> list[tuple[int, int, str]]:
    """One to six edits: a place, a number of deleted characters, and what is inserted."""
    return [
        (rng.randrange(1_500), rng.randint(0, 12), _inserted(rng, tokens))
        for _ in range(rng.randint(1, 6))
    ]


def _inserted(rng: random.Random, tokens: list[str]) -> str:
    """A token of YAML or of specs, or up to four characters of any bytes."""
    if rng.random() < 0.7:
        return rng.choice(tokens)
    return rng.randbytes(rng.randint(0, 4)).decode("latin-1")
