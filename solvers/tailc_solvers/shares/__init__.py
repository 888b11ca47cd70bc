"""Models of a virtual machine's throughput by its CPU share."""
