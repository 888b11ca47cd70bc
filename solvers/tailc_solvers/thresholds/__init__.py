"""Slow-to-fast thresholds at low load: least mean energy with the tail within a target."""
