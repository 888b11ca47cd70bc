"""Execution model of virtual machines whose throughput depends on their share of a host's CPU."""
