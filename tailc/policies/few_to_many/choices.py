"""Names of the methods and objectives of few-to-many; the command line imports only this file."""

from typing import Literal

Method = Literal["auto", "grid", "dual", "simulation"]
Objective = Literal["tail", "threads", "rate"]
