"""The best table at a spec's rates: the formula's, what could be set by hand, and a search."""
