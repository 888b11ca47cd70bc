"""Names of the methods of green-sla searches; the command line imports only this file."""

from typing import Literal

Method = Literal[
    "auto", "arrival", "anneal", "mip", "annealing", "first-fit", "on-arrival", "smart-green"
]
