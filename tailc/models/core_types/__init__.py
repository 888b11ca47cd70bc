"""Execution model of requests that each have a core of some type or frequency to themselves."""
