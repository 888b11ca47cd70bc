"""Names of the methods of greenpar searches; the command line imports only this file."""

from typing import Literal

Method = Literal[
    "auto",
    "columns",
    "mip",
    "aggressive",
    "aggressive-50%",
    "aggressive-25%",
    "constant",
    "nebulous",
    "reactive",
]
