"""Forecasts of green energy, and their errors."""
