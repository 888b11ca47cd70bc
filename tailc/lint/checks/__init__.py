"""The checks of traces, one file per subject; each has a list `CHECKS`."""
