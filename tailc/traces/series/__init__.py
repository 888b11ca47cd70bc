"""Time series on a regular grid: power, prices, carbon intensity, cloud cover."""
