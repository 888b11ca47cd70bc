"""Iterations of a language model's server, each of which batches tokens of many requests."""
