"""Each core serves a queue of its own and changes its clock."""
