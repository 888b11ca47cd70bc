"""Passes that change a policy for requests after its table is chosen.

A module is imported only if a spec requests its pass.
"""
