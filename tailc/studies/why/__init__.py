"""Explain one cell of a table: what it decides, which rule binds, and its effect on the tail."""
