"""Read and check specs; every error has a place (file:line:column)."""
