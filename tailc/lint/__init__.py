"""Find defects in traces; the checks are in one file per subject."""
