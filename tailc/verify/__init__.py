"""The judge: replay and statistics on held-out demand, from the policy as emitted to a verdict."""
