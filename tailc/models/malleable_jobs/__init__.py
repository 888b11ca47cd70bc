"""Execution model of jobs with a variable number of servers in a cluster with green power."""
