"""Plans by epoch for servers that run on green and brown energy."""
