"""Plans by epoch for servers with green and brown energy."""
