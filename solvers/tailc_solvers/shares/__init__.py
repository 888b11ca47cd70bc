"""Models of throughput by share, and the shares that are best if they never change."""
