"""Judge CPU-share policies: errors of throughput on held-out rows."""
