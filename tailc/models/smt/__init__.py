"""Execution model of SMT cores: a request on one hardware thread, batch work on the other."""
