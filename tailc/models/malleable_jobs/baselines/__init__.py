"""Allocators of servers to malleable jobs to compare with, which need no solver."""
