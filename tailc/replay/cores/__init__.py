"""Replay of core ladders: each running request has a core to itself, and a controller may steer."""
