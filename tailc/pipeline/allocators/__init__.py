"""Allocators of servers to malleable jobs that solve for a plan, for the replay of a cluster."""
