"""What both models of jobs share: the site, its battery, windows of days, and the jobs."""
