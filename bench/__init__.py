"""Measurements beside what users would pick instead; `make bench` runs them all."""
