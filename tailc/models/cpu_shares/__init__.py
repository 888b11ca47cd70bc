"""Virtual machines on one host get shares of its CPU, and their throughput follows."""
