"""Read and check specs; every error has file:line:column."""
