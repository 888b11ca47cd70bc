"""Types of the optimisation problems that compiles solve, and of their solutions; no algorithms."""
