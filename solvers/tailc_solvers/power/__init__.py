"""Power of a server from its counters: voltage, the model and its training."""
