"""Logs of batch jobs: read, scaled and cut as a datacentre wants them."""
