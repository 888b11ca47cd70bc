"""Explain why no policy meets a spec: its conflicting lines, with values that resolve them."""
