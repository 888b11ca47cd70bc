"""Batch work beside latency-critical work: frequencies of a core, a chip's limit, a fleet."""
