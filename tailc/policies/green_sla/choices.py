"""Methods of green-sla searches; the command line reads only this file."""

from typing import Literal

Method = Literal["arrival", "anneal", "mip"]
