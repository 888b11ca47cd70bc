"""Execution model of a server whose cores are shared by the threads of all requests."""
