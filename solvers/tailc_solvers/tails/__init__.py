"""Tails of the remaining work of each request in a first-come-first-served queue."""
