"""Linear plants, their identification, and PI and PID controllers tuned for them."""
