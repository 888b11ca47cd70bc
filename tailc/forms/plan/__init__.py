"""The plan form: which job runs on which servers and on which energy, epoch by epoch."""
