"""Batch work next to latency-critical requests: core frequencies, a chip's power limit, a fleet."""
