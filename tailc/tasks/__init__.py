"""Independent tasks in parallel, with the same results in the same order on any engine.

engine.py     what an engine does, and the result of a task that it lost
processes.py  processes of this machine
cluster.py    workers of a Dask cluster
code.py       the digest of the code that a worker runs

A task is pure: its result depends on its input and on the code alone. Therefore a task whose worker
has died runs again elsewhere, and the results do not depend on the number of workers.
"""
