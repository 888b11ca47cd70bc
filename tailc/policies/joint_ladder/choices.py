"""Methods and objectives of joint-ladder searches; the command line reads only this file."""

from typing import Literal

Method = Literal["auto", "dual", "simulation"]
Objective = Literal["tail", "energy", "batch", "rate"]
