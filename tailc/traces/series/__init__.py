"""Series on a regular grid of time: production, prices, carbon, clouds."""
