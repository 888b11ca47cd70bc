"""Measured input made into checked values: one reader a format."""
