"""Explain why no policy meets a spec: minimal sets of conflicting lines, with resolving values."""
