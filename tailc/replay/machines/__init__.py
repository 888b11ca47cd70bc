"""Replay of shares: machines on a host whose throughput follows what they are given."""
