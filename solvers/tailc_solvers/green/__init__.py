"""Plans by epochs for servers that run on green and on brown energy."""
