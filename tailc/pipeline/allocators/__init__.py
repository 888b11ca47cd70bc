"""Allocators for replays of a cluster that plan the servers of malleable jobs with a solver."""
