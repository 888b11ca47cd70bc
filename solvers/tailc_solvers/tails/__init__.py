"""Tail tables: quantiles of the time until each request in a FIFO queue is done."""
