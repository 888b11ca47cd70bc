"""Read the days that a plan is made for: jobs, energy and forecasts."""
