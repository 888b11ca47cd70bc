"""What --plot draws in the terminal."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.verify.verdict import Verdicts

# Where neither a terminal nor COLUMNS tells the width.
_WIDTH = (80, 24)


def pictures_text(policy: Policy, verdicts: Verdicts | None = None) -> str:
    """The map of each ladder, and with verdicts the spectrum at the busiest arrivals kept up with.

    A policy without a ladder has no map, and the text says so.
    """
    from tailc.report.page.latencies import busiest_point, shown_spectra
    from tailc.report.terminal import map_text, spectrum_text

    width = shutil.get_terminal_size(_WIDTH).columns
    parts = []
    point = None if verdicts is None else busiest_point(verdicts.points)
    if verdicts is not None and point is not None and point.policy.spectrum:
        title = f"Latency by percentile at {point.arrivals}"
        parts.append(spectrum_text(title, shown_spectra(point), verdicts.slos, width))
    for ladder in policy.ladders:
        of = "" if ladder.request_class is None else f" for class {ladder.request_class}"
        parts.append(f"Rungs by load and age{of}\n{map_text(ladder, width)}")
    return "\n\n".join(parts or ["this policy has no ladder: there is nothing to draw"]) + "\n"
