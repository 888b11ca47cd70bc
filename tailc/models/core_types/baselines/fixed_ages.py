"""The policy without its controller: its ages as they are, or a share of them, at every load.

Haque et al., MICRO 2017, figure 2.
"""

from __future__ import annotations

from tailc.forms.controller import PPM, scaled_ladder
from tailc.models.subject import Subject
from tailc.units import format_ppm


def fixed_ages(policy: Subject, share_ppm: int = PPM) -> Subject:
    """The ladders with the ages of climbs times a share."""
    ladders = tuple(scaled_ladder(ladder, share_ppm) for ladder in policy.ladders)
    share = "" if share_ppm == PPM else f" at {format_ppm(share_ppm)}"
    return Subject(f"S2F{share}", ladders, policy.ladder_of)
