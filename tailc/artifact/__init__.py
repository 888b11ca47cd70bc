"""Policies as bytes: the envelope, its two encodings, digests and atomic files."""
