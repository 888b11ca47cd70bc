"""Interval tables on a grid: exact search and exact evaluation of schedules."""
