"""Jobs of changing width on a cluster that draws green energy first."""
