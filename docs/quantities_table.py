"""Every quantity that a spec may have, with its units."""

from __future__ import annotations

import sys

from tailc.pipeline.spec import DOCUMENT_MODELS
from tailc.units import Dimension

HEAD = ("quantity", "units", "example", "in whole")


def quantities() -> list[tuple[str, ...]]:
    """A row for each, by name, with the smallest unit first."""
    return sorted(
        (noun, _units(dimension), f"`{dimension.example}`", grid)
        for (noun, grid), dimension in _dimensions().items()
    )


def _units(dimension: Dimension) -> str:
    ascending = sorted(dimension.units, key=lambda unit: dimension.units[unit])
    return ", ".join(f"`{unit}`" for unit in ascending)


def _dimensions() -> dict[tuple[str, str], Dimension]:
    """Those of the specs, wherever they are made; of some that differ in the example alone one."""
    assert all(DOCUMENT_MODELS.values())  # which imports every kind
    modules = [module for name, module in sys.modules.items() if name.startswith("tailc.")]
    found = [each for module in modules for each in vars(module).values()]
    made = [each for each in found if isinstance(each, Dimension)]
    return {
        (one.noun.partition(" ")[2], one.grid): one
        for one in sorted(made, key=lambda one: one.example, reverse=True)
    }
