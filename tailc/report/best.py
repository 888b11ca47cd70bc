"""Report the policy that `method: auto` chose, as JSON data and text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tailc.forms.ladder.table import Ladder
from tailc.percentiles import PPM

if TYPE_CHECKING:
    from tailc.pipeline.auto.choice import AutoResult


def best_result(chosen: AutoResult) -> dict[str, object]:
    """Build the JSON data of the chosen policy: table, loss share over resamples, search effort."""
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


def best_paragraphs(chosen: AutoResult) -> tuple[str, ...]:
    """Format the chosen frequency policy as text; empty for ladders, whose estimates have it."""
    if isinstance(chosen.best.option.table, Ladder):
        return ()
    table = chosen.best.option.table.table
    what = "energy" if table.batch is None else "energy for batch work"
    sample = "held out from the search" if chosen.kept_back else "that it was compiled from"
    return (
        f"auto       {chosen.best.option.name}: the SLO with least {what}, compared on "
        f"{chosen.judged_on:,} requests {sample}",
    )
