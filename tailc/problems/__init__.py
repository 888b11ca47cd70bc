"""Standard optimisation problems and their solutions, one file each."""
