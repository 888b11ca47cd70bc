"""One queue whose requests can be served more slowly, for the good of something else."""
