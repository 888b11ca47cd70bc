"""The standard optimisation problems and their solutions, one file each."""
