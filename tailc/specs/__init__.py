"""What users write, made into checked values; every error has file:line:column."""
