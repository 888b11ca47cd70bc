"""The passes of a compile, in order: read, reduce, solve, emit, write."""
