"""Parallel jobs whose server counts change from epoch to epoch: least brown energy and run time."""
