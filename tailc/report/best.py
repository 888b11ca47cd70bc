"""What the method `auto` took, for the JSON result; people read the estimates and the warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
