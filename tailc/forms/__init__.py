"""Forms of policies that a runtime can execute, with their invariants and reference semantics."""
