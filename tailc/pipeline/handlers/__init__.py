"""One handler per type of problem; each module has the name of the problem's module."""
