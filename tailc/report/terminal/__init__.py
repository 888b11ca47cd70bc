"""Pictures made of characters, for a terminal."""
