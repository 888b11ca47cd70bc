"""Methods and objectives of token budgets; the command line reads only this file."""

from typing import Literal

Method = Literal["auto", "one-step"]
Objective = Literal["tail", "goodput", "rate"]
