"""The method `auto`: the best of the formula's table, manual settings, and a search."""
