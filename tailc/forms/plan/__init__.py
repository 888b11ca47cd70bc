"""The plan form: servers and energy of each job, epoch by epoch."""
