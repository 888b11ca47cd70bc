"""The ladder in continuous time: the optimum of one row, with its certificate."""
