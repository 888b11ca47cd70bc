"""Why no policy meets a spec: the fewest lines that cannot all hold, and how far each must give."""
