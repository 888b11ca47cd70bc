"""Oblivious: every request on a random core, whatever its type (Haque, 2016, section 5.2.6)."""

from __future__ import annotations

from tailc.forms.ladder.table import Ladder
from tailc.models.core_types.baselines.same_cores import same_cores, wants
from tailc.models.subject import Subject

SEED = 1


def oblivious(ladder: Ladder) -> Subject:
    """A core is drawn for each; where those of its type are busy, the next type up has one free,
    or, above the last, the first; the request stays there.
    """
    ladders = (same_cores(ladder, wants(0), make_room=False),)
    return Subject("Oblivious", ladders, random_seed=SEED)
