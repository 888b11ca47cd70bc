"""Discrete-event replay of a policy's forms on measured demand."""
