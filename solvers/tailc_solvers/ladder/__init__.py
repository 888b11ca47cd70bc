"""The optimal ladder of one row in continuous time, with the bound that proves it."""
