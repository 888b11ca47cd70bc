"""Search traces for defects; one file of checks per subject."""
