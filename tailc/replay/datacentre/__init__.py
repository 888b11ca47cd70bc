"""A datacentre under real jobs and real energy, epoch by epoch."""
