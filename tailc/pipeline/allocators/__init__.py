"""Allocators that plan the servers of malleable jobs with a solver, for replays of a cluster."""
