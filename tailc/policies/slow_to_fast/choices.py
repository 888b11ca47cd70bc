"""Names of the methods and objectives of slow-to-fast; the command line imports only this file."""

from typing import Literal

Method = Literal["auto", "dual", "convex", "mip", "grid", "simulation"]
Objective = Literal["energy", "tail", "efficiency", "rate"]
