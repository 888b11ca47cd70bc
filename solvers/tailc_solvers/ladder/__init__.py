"""The optimal ladder for one load, without a grid of times, with the bound that proves it."""
