"""Read logs of batch jobs, and scale and cut them for a datacentre."""
