"""A queue whose requests may be served more slowly to save energy."""
