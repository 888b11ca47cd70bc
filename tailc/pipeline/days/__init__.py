"""Read the days that a plan is made for: jobs and energy side by side, and what was forecast."""
