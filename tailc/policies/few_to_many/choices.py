"""Methods and objectives of few-to-many searches; the command line reads only this file."""

from typing import Literal

Method = Literal["auto", "grid", "dual", "simulation"]
Objective = Literal["tail", "threads", "rate"]
