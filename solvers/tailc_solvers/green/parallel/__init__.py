"""Jobs whose number of servers changes between epochs: least brown energy and run time."""
