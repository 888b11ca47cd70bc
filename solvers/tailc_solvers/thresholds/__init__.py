"""Slow-to-fast thresholds at low load: the least mean energy whose tail meets a target."""
