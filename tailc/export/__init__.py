"""Plans as files and commands of schedulers, which a person can read before they are run."""
