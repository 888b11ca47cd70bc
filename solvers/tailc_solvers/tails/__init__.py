"""Tails of the work that is left until each request of a first-come-first-served queue is done."""
