"""Tables that stand errors of what they are compiled from, and how large errors they stand."""
