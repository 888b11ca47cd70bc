"""Small logs of jobs, by hand and by seed."""

import numpy as np

from tailc.traces.jobs.log import JobLog


def log_of(submit_s, run_s, width, **others):
    """A log of jobs numbered from 1, without requested times."""
    columns = [np.array(each, dtype=np.int64) for each in (submit_s, run_s, width)]
    jobs = len(columns[0])
    number = np.arange(1, jobs + 1)
    return JobLog(number, *columns, np.zeros(jobs, np.int64), "made.swf", **others)


def seeded_log(seed, jobs, hours=48, widest=64, **others):
    """A log of jobs that come at any time in `hours`, most of them short and narrow."""
    drawn = np.random.default_rng(seed)
    submit_s = np.sort(drawn.integers(0, hours * 3_600, jobs))
    run_s = np.maximum(1, np.rint(drawn.lognormal(7, 1.5, jobs)))
    width = 2 ** drawn.integers(0, int(np.log2(widest)) + 1, jobs)
    return log_of(submit_s, run_s, width, **others)
