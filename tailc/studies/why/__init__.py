"""Explain one cell of a table: what decides there, and its effect in replays."""
