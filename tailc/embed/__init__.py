"""Policies as source files, for programs that cannot load files; one language per file."""
