"""Judge policies: replay an emitted policy on held-out demand, and compute a verdict."""
