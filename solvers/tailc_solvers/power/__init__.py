"""Estimate the power of a server from its performance counters."""
