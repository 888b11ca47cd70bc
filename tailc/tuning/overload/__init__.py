"""Rules for overload: the one that loses least where a table alone misses its objective."""
