"""Read and check measured input; one reader for each format."""
