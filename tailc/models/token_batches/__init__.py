"""Execution model of a language model's server, whose iterations batch tokens of many requests."""
