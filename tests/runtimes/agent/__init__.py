"""The host agent on copies of machines made by hand, and on this machine where it allows that."""
