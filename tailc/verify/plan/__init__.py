"""Judge plans of a datacentre on held-out days."""
