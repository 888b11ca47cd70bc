"""Methods of elfen searches; the command line reads only this file."""

from typing import Literal

Method = Literal["auto", "paper", "simulation"]
