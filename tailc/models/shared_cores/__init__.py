"""Threads of all requests share the cores of a server."""
