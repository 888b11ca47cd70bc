"""Methods and objectives of slow-to-fast searches; the command line reads only this file."""

from typing import Literal

Method = Literal["auto", "dual", "convex", "mip", "grid", "simulation"]
Objective = Literal["energy", "tail", "efficiency", "rate"]
