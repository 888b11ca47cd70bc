"""Names of the methods of elfen searches; the command line imports only this file."""

from typing import Literal

Method = Literal["auto", "paper", "simulation"]
