"""Search of interval tables on a grid of durations, and exact evaluation of schedules."""
