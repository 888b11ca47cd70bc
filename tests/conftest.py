from hypothesis import settings

# The same examples on every machine and every run; `make fuzz` explores further.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")
