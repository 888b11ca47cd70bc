"""Compare two policies: their content, the behaviour of a runtime, and costs."""
