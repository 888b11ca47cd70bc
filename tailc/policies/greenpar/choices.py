"""Methods of greenpar searches; the command line reads only this file."""

from typing import Literal

Method = Literal["columns", "mip"]
