"""Execution model of jobs with a fixed number of servers, on racks with green or brown power."""
