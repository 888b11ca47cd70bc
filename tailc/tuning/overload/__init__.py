"""Overload control: find the rule with the least loss if a table alone misses its SLO."""
