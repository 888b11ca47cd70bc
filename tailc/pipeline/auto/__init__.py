"""The method `auto`: choose the best of the formula's table, settings by hand, and a search."""
