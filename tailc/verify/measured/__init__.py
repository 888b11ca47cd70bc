"""Judge the latencies that a server measured: against SLOs, and against the replay."""
