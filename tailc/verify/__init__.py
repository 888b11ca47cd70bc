"""Judge policies: replay an emitted policy on held-out requests, and rule on each SLO."""
