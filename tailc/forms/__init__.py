"""What a runtime can execute: one noun each, with its invariants and reference semantics."""
