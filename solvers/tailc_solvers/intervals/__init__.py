"""Interval tables on a grid: exhaustive search and exact evaluation of schedules."""
