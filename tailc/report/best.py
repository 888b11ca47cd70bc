"""What the method `auto` took: for the JSON result, and of clock policies a line for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.forms.ladder.table import Ladder
from tailc.percentiles import PPM

if TYPE_CHECKING:
    from tailc.pipeline.auto.choice import Chosen


def best_result(chosen: Chosen) -> dict[str, object]:
    """Whose table is taken, in which part of resamples it loses, and what the search took."""
    best = chosen.best
    return {
        "best": {
            "table": best.option.name,
            "loss_ppm": round(PPM * best.loss_share),
            "is_safe": best.is_safe,
            "judged_on": chosen.judged_on,
            "is_held_out": chosen.kept_back,
            "requests": best.requests,
            "evaluations": best.evaluations,
        }
    }


def best_paragraphs(chosen: Chosen) -> tuple[str, ...]:
    """The chosen clock policy; for ladders, estimates and warnings have it."""
    if isinstance(chosen.best.option.table, Ladder):
        return ()
    sample = "held out from the search" if chosen.kept_back else "that it was made from"
    return (
        f"auto       {chosen.best.option.name}: the SLO with least energy, compared on "
        f"{chosen.judged_on:,} requests {sample}",
    )
