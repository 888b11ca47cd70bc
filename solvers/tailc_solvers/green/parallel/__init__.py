"""Plans of malleable jobs, whose number of servers may change: least brown energy and run time."""
