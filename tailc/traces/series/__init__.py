"""Time series on a regular grid: production, prices, carbon intensity, cloud cover."""
