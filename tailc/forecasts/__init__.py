"""Production of green energy as it looks beforehand, and how wrong such forecasts were."""
