"""What `rigid_jobs` and `malleable_jobs` share: site, battery, windows of days, and jobs."""
