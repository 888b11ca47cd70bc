"""Names of the methods and objectives of joint-ladder; the command line imports only this file."""

from typing import Literal

Method = Literal["auto", "dual", "simulation"]
Objective = Literal["tail", "energy", "batch", "rate"]
