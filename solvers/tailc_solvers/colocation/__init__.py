"""Batch work next to latency-critical work: core frequencies, a chip's limit, a fleet."""
