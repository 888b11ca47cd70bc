"""What a compile does to a policy for requests after its table is chosen, a pass at a time.

A module is imported when a spec asks for its pass.
"""
