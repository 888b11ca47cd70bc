"""Models of throughput by share, and the best constant shares."""
