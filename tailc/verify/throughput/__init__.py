"""The judge of shares: how far throughput is off its targets on rows it was not compiled from."""
