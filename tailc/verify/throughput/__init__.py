"""Judge forms of shares: errors of throughput on held-out rows."""
