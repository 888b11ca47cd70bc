"""The choice of the rule that decides about jobs that a plan does not include."""
