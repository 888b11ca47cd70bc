"""Execution model of virtual machines with CPU shares of one host, which set their throughput."""
