"""Names of the methods of greenpar searches; the command line imports only this file."""

from typing import Literal

Method = Literal["columns", "mip"]
