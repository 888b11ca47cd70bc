"""What can be wrong with a trace, one noun a file; each has its `CHECKS`."""
