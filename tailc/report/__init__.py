"""Results made visible: text, JSON, CI annotations."""
