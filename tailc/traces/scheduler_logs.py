"""Recognise lists and logs of jobs that schedulers write as text instead of tables."""

from __future__ import annotations

import re

from tailc.traces.other_texts import OtherText, text_among

_SACCT = "`sacct -X -P -o JobID,Submit,ElapsedRaw,NNodes > jobs.txt`"


def scheduler_log(head: bytes) -> OtherText | None:
    """Recognise a list or log of a job scheduler by a file's first bytes; None for others."""
    return text_among(_LOGS, head)


def _as_table(names: str, command: str) -> str:
    return f"write its jobs as a table, such as `(echo {names}; {command} | sort -n) > jobs.csv`"


_LOGS = (
    OtherText(
        re.compile(rb" *JobID(?:Raw)? [^\n|]*\n-{3}[- ]*\r?\n"),
        "a list of `sacct` with columns of a fixed width, which may be cut, not a table",
        f"write it with bars between columns: {_SACCT}",
    ),
    OtherText(
        re.compile(rb" *JOBID +PARTITION +"),
        "a list of `squeue`, which has no jobs of the past",
        f"write those by {_SACCT}",
    ),
    OtherText(
        re.compile(rb"\d{2}/\d{2}/\d{4} \d{2}:\d{2}:\d{2};[A-Z];"),
        "an accounting log of PBS, not a table",
        _as_table(
            "submit,run,nodes",
            "sed -nE 's/.*;E;.* ctime=([0-9]+) .* start=([0-9]+) .*nodect=([0-9]+) .* end=([0-9]+) "
            '.*/\\1 \\2 \\3 \\4/p\' FILE | awk \'{print $1 "," $4 - $2 "," $3}\'',
        ),
    ),
    OtherText(
        re.compile(rb"\s*\{"),
        "JSON of `sacct --json`, not a table",
        f"write the jobs as a table: {_SACCT}",
        (b'"jobs"', b'"allocation_nodes"', b'"submission"'),
    ),
    OtherText(
        re.compile(rb"(?:#[^\n]*\n){0,9}(?:[^:\n]*:){34}\d+:(?:[^:\n]*:){6,}[^:\n]*\r?\n"),
        "an accounting file of Grid Engine, not a table",
        _as_table(
            "submit,run,slots",
            'awk -F: \'!/^#/ && $14 > 0 && $42 == "NONE" {print $9 "," $14 "," $35}\' FILE',
        ),
    ),
    OtherText(
        re.compile(rb"Job Id: [^\n]*\n\s+\w+ = "),
        "what `qstat -f` of PBS prints, not a table",
        "give the accounting log of `server_priv/accounting`, whose error has a command that makes "
        "a table",
    ),
    OtherText(
        re.compile(rb"(?:[A-Za-z_]\w* = [^\n]*\n){3}"),
        "a history of HTCondor, not a table",
        _as_table(
            "submit,run,cpus",
            """(cat FILE; echo) | awk '$2 == "=" {v[$1] = $3} (!NF || /^[*]/) && """
            """v["RemoteWallClockTime"] > 0 {print v["QDate"] "," v["RemoteWallClockTime"] "," """
            """v["RequestCpus"]; split("", v)}'""",
        ),
        (b"ClusterId = ", b"QDate = ", b"RemoteWallClockTime = "),
    ),
    OtherText(
        re.compile(rb'"JOB_[A-Z_]+" "[\d.]+" \d{9,10} '),
        "an accounting log of LSF, not a table",
        _as_table(
            "submit,run,slots",
            'awk \'/^.JOB_FINISH/ && $11 > 0 {print $8 "," $3 - $11 "," $7}\' FILE',
        ),
    ),
)
