"""tailc: a policy compiler for tail latency."""
