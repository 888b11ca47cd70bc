"""Traces looked at with suspicion -> what is wrong or odd about them, one noun a file of checks."""
