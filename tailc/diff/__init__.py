"""Compare two policies, an old one and a new one: content, decisions, latency and costs."""
