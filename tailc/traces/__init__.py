"""Read measured input and check it; one reader for each format."""
