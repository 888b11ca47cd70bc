"""Hardware threads of a core: a request on one, batch work beside it on the other."""
