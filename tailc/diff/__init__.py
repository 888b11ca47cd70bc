"""Two policies side by side: what is written in them, what a runtime does, what it costs."""
